from hermes_host.media import MediaProvider


class BrowserProvider(MediaProvider):
    pass

from hermes_host.media import MediaProvider


class WebSearchProvider(MediaProvider):
    pass

from hermes_host.media import MediaProvider


class TTSProvider(MediaProvider):
    pass

from hermes_host.media import MediaProvider


class TranscriptionProvider(MediaProvider):
    pass

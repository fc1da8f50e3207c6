from hermes_host.media import MediaProvider


class VideoGenProvider(MediaProvider):
    pass

from hermes_host.media import MediaProvider


class ImageGenProvider(MediaProvider):
    pass

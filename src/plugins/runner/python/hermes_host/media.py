"""Base classes of providers for which this host has no port yet. Plugins that define one still load."""


class MediaProvider:
    name = ""

    @property
    def display_name(self):
        return self.name

    def is_available(self):
        return True

    def list_models(self):
        return []

    def default_model(self):
        return None

    def get_setup_schema(self):
        return {}

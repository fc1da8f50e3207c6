"""The part of Hermes that runs in the process of a Python plugin."""

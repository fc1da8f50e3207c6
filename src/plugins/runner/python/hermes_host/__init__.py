"""The side of Hermes in the process of a Python plugin."""

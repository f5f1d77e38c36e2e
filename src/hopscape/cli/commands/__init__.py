"""The commands, by subject; each module adds its own to the application."""

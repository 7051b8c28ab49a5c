"""A tab and what belongs to it: dialogs, downloads, and the state that it shares with its context."""

"""A tab, its dialogs and downloads, and the state that the tabs of a context share."""

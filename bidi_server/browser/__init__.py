"""The browser as its users know it: sessions, contexts, tabs, frames, elements, and their events."""

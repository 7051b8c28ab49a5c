"""What a person would call a browser: sessions, contexts, tabs, frames, elements, and what happens in them."""

"""Actions on a page with pointer, keyboard and files."""

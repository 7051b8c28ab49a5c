"""What Chromium, ChromeDriver and its mapper do in their own way."""

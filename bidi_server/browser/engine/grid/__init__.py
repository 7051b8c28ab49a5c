"""What a Selenium Grid needs beside its browsers."""

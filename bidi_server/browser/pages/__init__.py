"""What is asked of a whole page: navigation, waiting, scripts, pictures, figures."""

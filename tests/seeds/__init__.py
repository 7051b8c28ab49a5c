"""The specifications that the product is made from, scenario by scenario. See docs/seeds.md."""

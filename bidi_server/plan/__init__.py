"""Plans: the steps of a session as data, which replay without a model, and the tests that are generated from them."""

"""What tests stand on: a world of browsers and servers, fakes, fronts, machines."""

"""Starting, connecting and pooling browser processes, and routing their events."""

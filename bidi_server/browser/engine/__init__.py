"""Browser processes: started, connected, pooled, their events routed."""

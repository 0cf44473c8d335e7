"""Long work that must not delay decisions: jobs in the store, and evaluations in a process of their own."""

"""Long work beside decisions: jobs in the store, and evaluations in a process of their own."""

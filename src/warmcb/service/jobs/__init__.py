"""Long work beside decisions: jobs that are kept in the store, and evaluations in a process of their own."""

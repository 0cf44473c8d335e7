"""The paper's study: grid → tasks → engine → store → scores → figures, claims, report."""

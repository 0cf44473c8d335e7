"""What happens in a loop: decisions, rewards, labels, and logs of other systems."""

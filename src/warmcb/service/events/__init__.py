"""What happens in a loop: decisions, rewards and labels; and logs of other systems."""

"""What happens: chance, the games, the runner, the store and the trace."""

"""How packs reach people and agents: the git hook, the batch job in CI, the GitHub Action, a note for agents."""

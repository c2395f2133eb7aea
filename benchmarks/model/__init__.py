"""The embedded model, rebuilt from public repositories: ``python -m benchmarks.model COMMAND``.

`manifest` names the repositories, `sources` reads them, `pairs` finds what describes what, `tokenizer` and `training`
make the token vectors, `folder` writes them as a model2vec folder, `evaluation` ranks files with it.
"""

"""The tokenizer: words of any script, cut at case, digits and punctuation, then byte-pair encoding.

What a character is decides how it survives: letters and digits of any script stay, accents go, all else is a border.
Characters that the training texts hardly have become their UTF-8 bytes, so that no text with a letter or a digit is
without tokens.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

UNKNOWN = "[UNK]"
_BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
_ALPHABET = 2600  # characters; of Chinese about as many as nine tenths of a text are made of

_CASE_BORDER = r"(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})"
_NO_WORD = r"[^\p{L}\p{N}]+"
_WORD = r"\p{L}+|\p{N}{1,3}"


def train(texts: Iterable[str], size: int) -> Tokenizer:
    """Learn at most `size` tokens. The same texts in the same order give the same tokenizer."""
    tokenizer = Tokenizer(models.BPE(unk_token=UNKNOWN, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.NFKD(),
            normalizers.StripAccents(),
            normalizers.Replace(Regex(_CASE_BORDER), " "),
            normalizers.Lowercase(),
            normalizers.Replace("ß", "ss"),
            normalizers.Replace(Regex(_NO_WORD), " "),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(_WORD), "removed", invert=True)
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        min_frequency=2,
        special_tokens=[UNKNOWN, *_BYTES],
        limit_alphabet=_ALPHABET,
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return Tokenizer.from_str(json.dumps(_without_added(json.loads(tokenizer.to_str()))))


def _without_added(description: dict[str, Any]) -> dict[str, Any]:
    """Bytes are tokens of the model alone: as added tokens they would match a text that spells them."""
    description["added_tokens"] = [one for one in description["added_tokens"] if one["content"] == UNKNOWN]
    return description


def vocabulary(tokenizer: Tokenizer) -> list[str]:
    """The tokens by their number."""
    return [token for token, _ in sorted(tokenizer.get_vocab().items(), key=lambda pair: pair[1])]


def is_byte(token: str) -> bool:
    """Whether a token is a byte of a rare character."""
    return token.startswith("<0x")

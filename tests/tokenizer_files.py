"""The two tokenizers of the published grid's models, as their repositories' ``tokenizer.json``.

BERT's is the real one. XLM-RoBERTa's rewrites characters, marks where words begin and wraps a text
as the real one does, over a small vocabulary of the texts that are rehearsed on.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter

from tokenizers import AddedToken, Tokenizer, decoders, normalizers, pre_tokenizers
from tokenizers.models import Unigram
from tokenizers.processors import TemplateProcessing

from chunkstudy.base import tokens
from chunkstudy.collections import builtin

SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
MARK = "▁"
WORDS = 1500
"""Words of the vocabulary, the most frequent ones; others come out in letters."""


def wordpiece() -> bytes:
    """BERT's uncased tokenizer, cut and padded to 512 tokens as the models' files have it."""
    tokenizer = Tokenizer.from_str(tokens.wordpiece().to_str())
    tokenizer.enable_truncation(512)
    tokenizer.enable_padding()
    return tokenizer.to_str().encode()


def xlm_roberta() -> bytes:
    """A small ``tokenizer.json`` after XLM-RoBERTa's."""
    pieces = [*((one, 0.0) for one in SPECIAL), *_pieces()]
    tokenizer = Tokenizer(Unigram(pieces, SPECIAL.index("<unk>"), byte_fallback=False))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(MARK)]
    )
    tokenizer.decoder = decoders.Metaspace(MARK)
    tokenizer.post_processor = TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[(one, SPECIAL.index(one)) for one in ("<s>", "</s>")],
    )
    tokenizer.add_special_tokens([*SPECIAL, AddedToken("<mask>", lstrip=True)])
    return tokenizer.to_str().encode()


def _pieces() -> list[tuple[str, float]]:
    """Pieces with the logarithm of how often they occur: words behind their mark, and letters."""
    texts = [document.text for document in builtin.load_documents()]
    texts += [query.text for query in builtin.load().queries]
    words = Counter(word for text in texts for word in unicodedata.normalize("NFKC", text).split())
    letters = Counter(letter for word, times in words.items() for letter in word * times)
    letters[MARK] = sum(words.values())
    for letter in map(chr, range(33, 127)):
        letters[letter] += 1
    common = sorted(words.items(), key=lambda one: (-one[1], one[0]))[:WORDS]
    counts = dict(letters) | {f"{MARK}{word}": times for word, times in common}
    total = sum(counts.values())
    return [(piece, math.log(times / total)) for piece, times in sorted(counts.items())]

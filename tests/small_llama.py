"""A small random Llama with a byte-level tokenizer and a chat format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

TEMPLATE = (
    "{% for message in messages %}<s>{{ message['role'] }}: {{ message['content'] }}</s>"
    "{% endfor %}{% if add_generation_prompt %}<s>assistant: {% endif %}"
)
MERGES = [("1", "2"), ("Ġ", "a"), ("I", "D"), ("ID", "Ġ"), ("Ġ", "Ġ")]
SPECIAL = ["<s>", "</s>"]
HIDDEN, HEADS, KEY_HEADS, INNER, LAYERS, POSITIONS = 64, 4, 2, 96, 2, 256


def vocabulary() -> list[str]:
    from tokenizers.pre_tokenizers import ByteLevel

    return [*SPECIAL, *sorted(ByteLevel.alphabet()), *("".join(pair) for pair in MERGES)]


def write_checkpoint(folder: Path, seed: int = 0) -> None:
    """As transformers reads it."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    words = vocabulary()
    tokenizer = Tokenizer(models.BPE({word: i for i, word in enumerate(words)}, MERGES))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    wrapped: Any = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>"
    )
    wrapped.chat_template = TEMPLATE
    wrapped.save_pretrained(folder)
    torch.manual_seed(seed)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(words),
            hidden_size=HIDDEN,
            intermediate_size=INNER,
            num_hidden_layers=LAYERS,
            num_attention_heads=HEADS,
            num_key_value_heads=KEY_HEADS,
            max_position_embeddings=POSITIONS,
            tie_word_embeddings=True,
            initializer_range=0.3,
            bos_token_id=0,
            eos_token_id=1,
        )
    )
    model.save_pretrained(folder)

"""A small random Llama with a byte-level tokenizer and a chat format, in both file formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

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


def write_gguf(path: Path, seed: int = 0) -> None:
    """Matrices in four bits (Q4_1), as the packed models of the hub have them."""
    import gguf

    chance = np.random.default_rng(seed)
    words = vocabulary()
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(POSITIONS)
    writer.add_block_count(LAYERS)
    writer.add_embedding_length(HIDDEN)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_HEADS)
    writer.add_rope_freq_base(10_000.0)
    writer.add_rope_dimension_count(HIDDEN // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(words))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(words)
    writer.add_token_types([3] * len(SPECIAL) + [1] * (len(words) - len(SPECIAL)))
    writer.add_token_merges([" ".join(pair) for pair in MERGES])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    writer.add_unk_token_id(0)
    writer.add_pad_token_id(1)
    writer.add_add_bos_token(False)
    writer.add_chat_template(TEMPLATE)

    def matrix(name: str, rows: int, columns: int) -> None:
        values = chance.normal(0, 0.3, (rows, columns)).astype(np.float32)
        packed = gguf.quantize(values, gguf.GGMLQuantizationType.Q4_1)
        writer.add_tensor(name, packed, raw_dtype=gguf.GGMLQuantizationType.Q4_1)

    def vector(name: str) -> None:
        writer.add_tensor(name, chance.normal(1, 0.1, HIDDEN).astype(np.float32))

    matrix("token_embd.weight", len(words), HIDDEN)
    vector("output_norm.weight")
    keys = HIDDEN // HEADS * KEY_HEADS
    for i in range(LAYERS):
        matrix(f"blk.{i}.attn_q.weight", HIDDEN, HIDDEN)
        matrix(f"blk.{i}.attn_k.weight", keys, HIDDEN)
        matrix(f"blk.{i}.attn_v.weight", keys, HIDDEN)
        matrix(f"blk.{i}.attn_output.weight", HIDDEN, HIDDEN)
        matrix(f"blk.{i}.ffn_gate.weight", INNER, HIDDEN)
        matrix(f"blk.{i}.ffn_up.weight", INNER, HIDDEN)
        matrix(f"blk.{i}.ffn_down.weight", HIDDEN, INNER)
        vector(f"blk.{i}.attn_norm.weight")
        vector(f"blk.{i}.ffn_norm.weight")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()

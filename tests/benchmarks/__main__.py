"""``make bench``: our encoder beside others, as ratios, both sides in one run."""

from __future__ import annotations

from tests.benchmarks import contextualized, engines

MODELS = {
    "sentence-transformers/all-MiniLM-L6-v2": 1_000,
    "sentence-transformers/all-mpnet-base-v2": 200,
}
"""How many texts are enough to encode."""


def main() -> None:
    """Print contextualized encoding, plain encoding, and how to measure beside other engines."""
    print("contextualized encoding of SciFact documents (target: 3 x a loop)")
    contextualized.main()
    print("\nencoding recursive-200 chunks (targets: 0.7 of sentence-transformers' time, 1.3 of "
          "bare matrix products')")  # fmt: skip
    for model, texts in MODELS.items():
        engines.measure(model, texts, rounds=3)
    print(
        "\nbeside ONNX Runtime, OpenVINO and fastembed: in an environment of its own,\n"
        "  pip install '.[offline]' fastembed 'sentence-transformers[onnx,openvino]'\n"
        "  python -m tests.benchmarks.engines 600 5 1    # texts, rounds, threads"
    )


if __name__ == "__main__":
    main()

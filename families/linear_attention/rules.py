"""The rule of LinearAttention: heads side by side, and the inputs that the rule of update needs."""

from _shared.values import check_rank

from opmill_gen.rule_language.language import (
    Ints,
    Tensor,
    output,
    plan,
    require,
    require_attribute,
)


def check_tokens(name: str, tensor: Tensor, query: Tensor) -> None:
    """Of rank 3, with the batch and the tokens of the queries."""
    check_rank(name, tensor, 3)
    for i in range(2):
        require(
            tensor.shape[i] == query.shape[i],
            f"{name}.shape[{i}] is {tensor.shape[i]}, expected {query.shape[i]} (query.shape[{i}])",
        )


def size_of_head(heads_name: str, heads: int, name: str, width: int) -> int:
    """Heads of one size."""
    require_attribute(
        heads >= 1 and width % heads == 0,
        f"{heads_name} is {heads}, expected a divisor of {width} ({name}.shape[2])",
    )
    return width // heads


def check_use(name: str, tensor: Tensor | None, needed: int, update_rule: str) -> None:
    """Present where the rule of update needs it, and absent where it does not."""
    if tensor is None:
        require(
            needed == 0,
            f"input '{name}' is absent, expected a value (update_rule is '{update_rule}')",
        )
    else:
        require(
            needed == 1,
            f"input '{name}' is given, expected none (update_rule is '{update_rule}')",
        )


def check_past(past_state: Tensor, state: Ints) -> None:
    """A matrix for each head."""
    require(
        past_state.shape == state,
        f"past_state.shape is {past_state.shape}, expected {state} "
        "(batch, heads of keys, size of a head of keys and of values)",
    )


def rules(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    past_state: Tensor | None,
    decay: Tensor | None,
    beta: Tensor | None,
    *,
    chunk_size: int,
    kv_num_heads: int,
    q_num_heads: int,
    scale: float,
    update_rule: str,
) -> None:
    """One batch, one number of tokens."""
    require_attribute(
        update_rule in ("linear", "gated", "delta", "gated_delta"),
        f"update_rule is '{update_rule}', expected 'linear', 'gated', 'delta' or 'gated_delta'",
    )
    require_attribute(kv_num_heads >= 1, f"kv_num_heads is {kv_num_heads}, expected at least 1")
    require_attribute(
        q_num_heads >= 1 and q_num_heads % kv_num_heads == 0,
        f"q_num_heads is {q_num_heads}, expected a multiple of {kv_num_heads} (kv_num_heads)",
    )
    check_rank("query", query, 3)
    check_tokens("key", key, query)
    check_tokens("value", value, query)
    size = size_of_head("q_num_heads", q_num_heads, "query", query.shape[2])
    key_size = size_of_head("kv_num_heads", kv_num_heads, "key", key.shape[2])
    value_size = size_of_head("kv_num_heads", kv_num_heads, "value", value.shape[2])
    require(
        key_size == size,
        f"size of a head of key is {key_size}, expected {size} (the size of a head of query)",
    )
    batch = query.shape[0]
    state = [batch, kv_num_heads, size, value_size]
    if past_state is not None:
        check_past(past_state, state)
    check_use("decay", decay, 1 if update_rule in ("gated", "gated_delta") else 0, update_rule)
    check_use("beta", beta, 1 if update_rule in ("delta", "gated_delta") else 0, update_rule)
    decays_rows = False
    if decay is not None:
        check_tokens("decay", decay, query)
        require(
            decay.shape[2] == kv_num_heads or decay.shape[2] == kv_num_heads * size,
            f"decay.shape[2] is {decay.shape[2]}, expected {kv_num_heads} or {key.shape[2]} "
            "(one or size of a head of key for each head)",
        )
        decays_rows = decay.shape[2] != kv_num_heads
    shares_beta = False
    if beta is not None:
        check_tokens("beta", beta, query)
        require(
            beta.shape[2] == kv_num_heads or beta.shape[2] == 1,
            f"beta.shape[2] is {beta.shape[2]}, expected 1 or {kv_num_heads} (kv_num_heads)",
        )
        shares_beta = beta.shape[2] != kv_num_heads
    output(output=[batch, query.shape[1], q_num_heads * value_size])
    output(present_state=state)
    plan(
        decays_rows=decays_rows,
        group=q_num_heads // kv_num_heads,
        has_scale=scale != 0.0,
        heads=kv_num_heads,
        scale=scale,
        shares_beta=shares_beta,
        size=size,
        value_size=value_size,
    )

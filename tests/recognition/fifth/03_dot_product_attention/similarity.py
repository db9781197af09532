# %% wrong: accepts_other_spellings
# says: It turns kind into lower case and strips spaces first, so kinds such as "Dot" or " cosine" are accepted although anything but exactly the three strings should raise ValueError.
def similarity(query, key, kind="dot"):
    kind = str(kind).strip().lower()
    if kind == "cosine":
        def unit(a):
            n = np.linalg.norm(a, axis=-1, keepdims=True)
            return a / np.where(n == 0, 1, n)
        query, key = unit(query), unit(key)
    elif kind == "scaled_dot":
        query = query / np.sqrt(query.shape[-1])
    elif kind != "dot":
        raise ValueError(f"unknown kind {kind!r}")
    return query @ np.swapaxes(key, -1, -2)


# %% wrong: zero_keys_forgotten
# says: Only a zero query is given cosine 0; a key of zeros still divides 0 by 0, so its cosines are nan.
def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError("kind must be dot, cosine or scaled_dot")
    dots = np.einsum("...td,...sd->...ts", query, key)
    if kind == "dot":
        return dots
    if kind == "scaled_dot":
        return dots / query.shape[-1] ** 0.5
    q_len = np.sqrt((query ** 2).sum(-1))[..., :, None]
    k_len = np.sqrt((key ** 2).sum(-1))[..., None, :]
    q_safe = np.where(q_len == 0, 1.0, q_len)
    return dots / q_safe / k_len


# %% right: nan_to_zero
# why: The cosine is the dot product divided by the product of the lengths; only a zero vector makes 0 / 0 = nan, which nan_to_num turns into the 0 that the contract asks for. No epsilon is added.
def similarity(query, key, kind="dot"):
    dots = np.einsum("...td,...sd->...ts", query, key)
    match kind:
        case "dot":
            return dots
        case "scaled_dot":
            return dots * query.shape[-1] ** -0.5
        case "cosine":
            lengths = np.linalg.norm(query, axis=-1)[..., :, None] * np.linalg.norm(key, axis=-1)[..., None, :]
            with np.errstate(invalid="ignore"):
                return np.nan_to_num(dots / lengths, nan=0.0)
    raise ValueError(kind)

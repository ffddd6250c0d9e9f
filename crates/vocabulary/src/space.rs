/// The bytes without the ASCII white space around them, the vertical tab included: what is tolerated around
/// a runner's id and its token (RUN-07, RUN-10), and so what two of them are compared without (RUN-34).
///
/// ```
/// use watertight_vocabulary::trim_ascii_space;
///
/// assert_eq!(trim_ascii_space(b"\x0B tok-one\r\n"), b"tok-one");
/// ```
pub fn trim_ascii_space(mut bytes: &[u8]) -> &[u8] {
    let is_space = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0B;
    while let [first, rest @ ..] = bytes
        && is_space(first)
    {
        bytes = rest;
    }
    while let [rest @ .., last] = bytes
        && is_space(last)
    {
        bytes = rest;
    }
    bytes
}

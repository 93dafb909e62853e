//! Texts from devices, requests and plans, made safe for where they are shown.

use alloc::borrow::Cow;
use alloc::string::String;

/// Whether a character could do something to a terminal or to the order of what stands around it.
fn harmful(character: char) -> bool {
    // Marks that turn the direction of writing can make a path look like another one; line and paragraph separators
    // break lines.
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
        )
}

/// The text on one line, every harmful character escaped.
#[must_use]
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(harmful) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        if harmful(character) { safe.extend(character.escape_default()) } else { safe.push(character) }
    }
    Cow::Owned(safe)
}

/// The text for the inside of an element or a quoted attribute of SVG and HTML.
#[must_use]
pub fn markup(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in escaped(text).chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // Not characters in the sense of XML.
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            _ => safe.push(character),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_harmful_is_left() {
        assert_eq!(escaped("/dev/sda ünï"), "/dev/sda ünï");
        assert_eq!(escaped("a\u{1b}[2J\nb\u{202e}c\u{2028}"), "a\\u{1b}[2J\\nb\\u{202e}c\\u{2028}");
        assert_eq!(markup("<a href=\"x\">'&\u{ffff}\0"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;\u{fffd}\\u{0}");
    }
}

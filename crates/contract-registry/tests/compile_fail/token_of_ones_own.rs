//! Tokens are given, not made.

use contract_registry::Token;

fn main() {
    let _ = Token(7);
    let _ = Token::fresh();
}

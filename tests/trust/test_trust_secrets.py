"""The secret detector: what it finds, what it leaves alone, how it masks, how long it takes."""

import json
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paitui.trust.secrets import find, is_card_number, is_id_number, mask

# Put together here, so that no scanner takes this file for a leak.
PEM = "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIEowIBAAKCAQEA\nabc+/=\n-----END RSA PRIVATE " + "KEY-----"

FOUND = [
    ("api-key", "sk-" + "abcdefghijklmnopqrstuvwx"),
    ("api-key", "sk-ant-" + "api03-AbCdEf0123456789-xyzABC"),
    ("api-key", "sk-proj-" + "AbCdEf0123456789_xyzABC"),
    ("api-key", "AKIA" + "IOSFODNN7EXAMPLE"),
    ("api-key", "AIza" + "SyA-1234567890abcdefghijklmnopqrstuv"),
    ("api-key", "sk_live_" + "abcdefghij0123456789"),
    ("token", "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"),
    ("token", "github_pat_" + "11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz"),
    ("token", "xoxb-" + "123456789012-abcdefghijkl"),
    ("token", "glpat-" + "abcdefghij0123456789"),
    ("token", "hf_" + "abcdefghijklmnopqrstuvwxyzABCD"),
    ("token", "npm_" + "abcdefghijklmnopqrstuvwxyz0123456789"),
    ("token", "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc_def-123"),
    ("private-key", PEM),
    ("phone", "13812345678"),
    ("phone", "138-1234-5678"),
    ("phone", "+86 138 1234 5678"),
    ("id-number", "11010519491231002X"),
    ("bank-card", "4111 1111 1111 1111"),
    ("bank-card", "4111111111111111"),
    ("bank-card", "378282246310005"),
    ("bank-card", "6222021234567890128"),
    ("e-mail", "bob.smith+x@example.co.uk"),
]


@pytest.mark.parametrize(("kind", "value"), FOUND)
@pytest.mark.parametrize("around", ["{}", "see {} there", "值是{}，好", "({})", "KEY={}", '"{}"', "a\n{}\nb"])
def test_values_are_found_by_their_shape(kind: str, value: str, around: str) -> None:
    text = around.format(value)
    spans = [span for span in find(text) if text[span.start : span.end] == value]
    assert spans, mask(text)
    if "KEY=" not in around:
        assert spans[0].kind == kind
    assert value not in mask(text)


VALUES = [
    ("password: {}", "hunter2"),
    ("PASSWORD = {}", "hunter2"),
    ("DB_PASSWORD={}", "swordfish"),
    ("export API_TOKEN={}", "abcd1234efgh"),
    ('password = "{}"', "correct horse 1"),
    ('{{"password": "{}", "x": 1}}', "hunter2"),
    ('{{"a": "{{\\"password\\": \\"{}\\"}}"}}', "hunter2"),
    ("api_key: {}", "9f8e7d6c5b4a"),
    ("API key is {}", "9f8e7d6c5b4a"),
    ("apiKey: '{}'", "9f8e7d6c5b4a"),
    ("x-api-key: {}", "9f8e7d6c5b4a"),
    ("secret={}", "abc123xyz"),
    ("client_secret: {}", "abc123xyz"),
    ("token = '{}'", "abc123def"),
    ("my password is {}", "hunter2"),
    ("mysql --password {}", "hunter2"),
    ("Authorization: Bearer {}", "abc123def456"),
    ("Authorization: Basic {}", "dXNlcjpwYXNz"),
    ("curl -H 'authorization: bearer {}'", "abc123def456"),
    ("postgres://user:{}@db.local/x", "s3cret"),
    ("https://:{}@example.com", "s3cret"),
    ("密码是{}", "abc123"),
    ("密码：{}", "swordfish"),
    ("我的密码为 {}", "P@ssw0rd"),
    ("数据库口令 = {}", "hunter22"),
    ("验证码是 {}", "482913"),
    ("验证码：{}，五分钟内有效", "482913"),
    ("令牌: {}", "tk_9911aabb"),
    ("密钥是“{}”，别外传", "k3y-9911aabb"),
    ("AWS_SECRET_ACCESS_KEY={}", "wJalrXUtnFEMIK7MDENGbPxRfiCY"),
]


@pytest.mark.parametrize(("around", "value"), VALUES)
def test_values_are_found_by_the_word_before(around: str, value: str) -> None:
    text = around.format(value)
    masked = mask(text)
    assert value not in masked
    # The word stays, and of the value nothing does.
    assert masked.startswith(text[: text.index(value)])
    assert masked.count("‹secret:") == 1 or "api" in masked.lower() or "Bearer" in masked


@pytest.mark.parametrize(
    "text",
    [
        "commit 2724d6f0c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5f6",
        "550e8400-e29b-41d4-a716-446655440000",
        "1700000000000 1700000000123456 1700000000123456789",
        "2024-01-01T12:00:00.123456Z",
        "line 13812 of 45678, 3.13812345678 and 0.13912345678",
        "at 0x13812345678",
        "13800138000.5 and 113800138000 and 138001380001",
        "max_tokens = 4096, tokens: 123456, prompt tokens 1,024",
        "token: str = ''",
        "password: Optional[str] = None",
        'password = os.environ["DB_PASSWORD"]',
        "token = get_token(user)",
        "secret=None",
        "api_key=settings.api_key",
        "password=password",
        "connect(password=args.password, token=new_token)",
        "def login(username, password): ...",
        "if password is None:",
        '"password": "string"',
        '"password": {"type": "string"}',
        "the password is required",
        "Password: ********",
        "password: ${DB_PASSWORD}",
        "password: <your password>",
        "the token is invalid",
        "bearer authentication is used",
        "密码重置页面，忘记密码怎么办",
        "请输入密码",
        "验证码错误",
        "git@github.com:foo/bar.git",
        "user@host and @decorator and a@b",
        "import secrets; secrets.token_hex(8)",
        "tokenizer = AutoTokenizer.from_pretrained(name)",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "sk-learn and sk-8",
        "risk-assessment-of-all-the-things-here",
        "11010519491231002Y and 110105194912310021",
        "4111111111111112",
        "1234 5678 9012 3456",
        "id: 20231231235959123",
        "https://example.com:8080/path",
        "https://user:${PASSWORD}@example.com",
        "password_hash = compute(password)",
        "const token = req.headers.authorization",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert mask(text) == text


def test_masking_keeps_the_rest_and_is_stable() -> None:
    text = f"before password: hunter2 between {PEM} after 13812345678."
    masked = mask(text)
    assert masked == "before password: ‹secret:password› between ‹secret:private-key› after ‹secret:phone›."
    assert mask(masked) == masked


def test_masked_json_is_still_json() -> None:
    record = {"arguments": json.dumps({"password": "hunter2", "path": "a.py"}), "content": "密码：abc123"}
    masked = mask(json.dumps(record, ensure_ascii=False))
    assert "hunter2" not in masked and "abc123" not in masked
    assert json.loads(json.loads(masked)["arguments"])["path"] == "a.py"


def test_an_unfinished_private_key_is_masked_as_far_as_it_goes() -> None:
    assert "MIIE" not in mask(PEM[: PEM.index("-----END")]) and "abc+/" not in mask(PEM[: PEM.index("-----END")])
    escaped = json.dumps(PEM)
    assert "MIIE" not in mask(escaped) and "abc+" not in mask(escaped)


def test_check_digits() -> None:
    assert is_id_number("11010519491231002X") and not is_id_number("110105194912310020")
    assert not is_id_number("110105194913310028")  # no thirteenth month
    assert is_card_number("4111111111111111") and not is_card_number("4111111111111110")
    assert not is_card_number("4444444444444444"[:12]) and not is_card_number("0000000000000000")


@given(st.text(st.sampled_from("password=:\"' \\是密码123abc@.-\n"), max_size=80))
def test_spans_are_in_order_and_apart(text: str) -> None:
    spans = find(text)
    assert all(span.start < span.end <= len(text) for span in spans)
    assert all(one.end <= two.start for one, two in pairwise(spans))


@pytest.mark.parametrize(
    "piece",
    [
        "hello world password here token foo 12 at x\n",
        "a",
        "@",
        "a@",
        "a.",
        "1",
        "4111 ",
        "sk-",
        "eyJ",
        "eyJaaaaaaaaa.",
        "-----BEGIN PRIVATE " + "KEY-----",
        "-----BEGIN PRIVATE " + "KEY-----\n!",
        "password=",
        'password="',
        "password",
        "token ",
        "://a:",
        "Bearer ",
        "authorization: basic ",
        "密码是",
        'password\\":\\"a\\',
        "password='a ",
        "password:'a\\",
        "\\",
    ],
)
def test_time_grows_with_the_text_only(piece: str) -> None:
    find("warm up: password=x1y2z3")
    text = piece * (500_000 // len(piece))
    begin = time.process_time()
    find(text)
    # Half a megabyte takes 0.4 s at worst; a quadratic rule takes minutes.
    assert time.process_time() - begin < 1.5

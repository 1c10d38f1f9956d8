"""Answers that use everything Markdown has, for pictures."""

ENGLISH = """\
# The export streams now

`export()` read **every order** into memory; it now writes them *one by one*. See the
[csv module](https://docs.python.org/3/library/csv.html) and <https://example.com/streaming>.

## What changed

| file | what | lines | risk |
|:-----|:-----|------:|:----:|
| `app/orders/export.py` | rows are written as they are read; nothing is collected any more | 12 | low |
| `tests/orders/test_export.py` | a hundred thousand orders, 订单很多也不怕 | 40 | none |

1. Read in chunks of 500:
   - the cursor stays open
   - a broken row is ~~skipped~~ **reported**
2. Write each row at once:

   ```python
   def export(orders, target):
       \"\"\"Write orders as CSV; gives how many.\"\"\"
       writer = csv.writer(target)
       for count, order in enumerate(orders.iterator(chunk_size=500), start=1):  # never all of them at the same time
           writer.writerow([order.id, f"{order.total / 100:.2f}"])
       return count
   ```
3. [Ask](docs/streaming.md) before the old function goes

- [x] tests pass
- [ ] the CHANGELOG is written

> The README says 3.11,
> `pyproject.toml` says 3.12.

```diff
-    rows = [row(order) for order in orders]
+    for order in orders.iterator(chunk_size=500):
     return target
```

***
Next I would look at **imports**.
"""

CHINESE = """\
## 导出为什么会失败

原因是**“一次性读入”**：`export()` 把全部订单放进一个列表，订单多的时候内存就不够了（参见[说明](docs/导出.md)）。

| 步骤 | 原来 | 现在 | 内存（MB） |
|:---|:---|:---|---:|
| 读取 | 全部订单一次读入列表 | 每次读 500 笔，读到就写 | 12 |
| 写出 | 最后统一写出 | 逐行写出，失败的行会单独报告，不会中断整个导出 | 3 |

1. 先改 `app/orders/export.py`：
   - 用 `iterator(chunk_size=500)` 逐块读取
   - 金额一律以“分”为单位，不用浮点数
2. 再补测试：

   ```python
   def test_large(tmp_path):
       # 十万笔订单，内存不应增长
       assert export(orders(100_000), tmp_path / "订单.csv") == 100_000
   ```

- [x] 测试通过
- [ ] 更新 CHANGELOG

> 注意：旧函数还有两处在用，
> 删除之前先确认。

```diff
-    rows = [row(order) for order in orders]
+    for order in orders.iterator(chunk_size=500):
```
"""

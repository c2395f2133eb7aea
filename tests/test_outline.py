from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from textwrap import dedent

import pytest

from tobler_pack.corpus import outline
from tobler_pack.corpus.grammar_table import QUERIES, SCRIPT_LANGUAGES
from tobler_pack.types import Definition

Row = tuple[str, str, tuple[int, int], tuple[int, int], tuple[int, int] | None, str | None]


@pytest.fixture(scope="session", autouse=True)
def grammars(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SEMBLE_GRAMMARS_CACHE_DIR", str(tmp_path_factory.mktemp("grammars")))
        yield


def found(source: bytes, language: str) -> tuple[Definition, ...]:
    tree = outline.parse(source, language)
    assert tree is not None
    return outline.definitions(tree, source, language)


def rows(source: str, language: str) -> list[Row]:
    units = found(dedent(source).lstrip("\n").encode(), language)
    return [
        (
            unit.name,
            unit.kind,
            unit.span,
            unit.declaration,
            unit.documentation,
            None if unit.parent is None else units[unit.parent].name,
        )
        for unit in units
    ]


# name, kind, span, declaration, documentation, parent
CASES: list[object] = [
    pytest.param(
        "python",
        '''
        LIMIT = 3

        # how
        @cache
        async def fetch(
            url,
        ) -> str:  # note
            # first
            local = 1
            def inner(): return local


        class Box(Base):
            """A box.

            Large.
            """

            size: int = 1
            @property
            def lid(self): "The lid."
        ''',
        [
            ("LIMIT", "constant", (1, 1), (1, 1), None, None),
            ("fetch", "function", (3, 10), (4, 7), (3, 3), None),
            ("inner", "function", (10, 10), (10, 10), None, "fetch"),
            ("Box", "class", (13, 21), (13, 13), (14, 17), None),
            ("size", "constant", (19, 19), (19, 19), None, "Box"),
            ("lid", "method", (20, 21), (20, 21), (21, 21), "Box"),
        ],
        id="python: decorators, docstrings, nested functions",
    ),
    pytest.param(
        "python",
        """
        try:
            import json
            fast = True
        except ImportError:
            fast = False
        A, B = 1, 2
        type Pair = tuple[int, int]
        TABLE = {
            1: 2,
            3: 4,
            5: 6,
        }
        """,
        [
            ("fast", "constant", (3, 3), (3, 3), None, None),
            ("fast", "constant", (5, 5), (5, 5), None, None),
            ("A", "constant", (6, 6), (6, 6), None, None),
            ("B", "constant", (6, 6), (6, 6), None, None),
            ("Pair", "type", (7, 7), (7, 7), None, None),
            ("TABLE", "constant", (8, 12), (8, 10), None, None),
        ],
        id="python: values, also behind a condition; a long one is declared by its first three lines",
    ),
    pytest.param(
        "rust",
        """
        //! About the crate.
        /// A point.
        #[derive(
            Debug,
        )]
        pub struct Point<T> where T: Copy {
            x: T, // across
        }

        impl<T> fmt::Display for Point<T> {
            const N: u8 = 1;
            /// Writes.
            fn fmt(&self) -> u8
            {
                fn help() {}
            }
        }
        trait Draw { fn draw(&self); }
        mod tests {
            #[test]
            fn works() {}
        }
        macro_rules! point { () => {}; }
        type P = Point<u8>;
        """,
        [
            ("Point", "class", (2, 8), (3, 6), (2, 2), None),
            ("Point", "impl", (10, 17), (10, 10), None, None),
            ("N", "constant", (11, 11), (11, 11), None, "Point"),
            ("fmt", "method", (12, 16), (13, 14), (12, 12), "Point"),
            ("help", "function", (15, 15), (15, 15), None, "fmt"),
            ("Draw", "class", (18, 18), (18, 18), None, None),
            ("draw", "method", (18, 18), (18, 18), None, "Draw"),
            ("tests", "module", (19, 22), (19, 19), None, None),
            ("works", "function", (20, 21), (20, 21), None, "tests"),
            ("point", "macro", (23, 23), (23, 23), None, None),
            ("P", "type", (24, 24), (24, 24), None, None),
        ],
        id="rust: doc comment and attribute",
    ),
    pytest.param(
        "typescript",
        """
        const limit = 1; // trailing
        /**
         * Adds.
         */
        export const add = (
          a: number,
        ): number => {
          const inner = () => a;
          return inner();
        };
        export const schema = z.object({ name: z.string() });
        @sealed
        export class Box<T> extends Base {
          static size = 1;
          open = () => {};
          get lid(): string { return ""; }
        }
        export interface Shape { area(): number; side: number }
        type Id = string;
        enum Color { Red }
        namespace Tools { export const k = 1; }
        const object = { title: function () {}, run() {}, go: () => 1, n: 1 };
        """,
        [
            ("limit", "constant", (1, 1), (1, 1), None, None),
            ("add", "function", (2, 10), (5, 7), (2, 4), None),
            ("inner", "function", (8, 8), (8, 8), None, "add"),
            ("schema", "constant", (11, 11), (11, 11), None, None),
            ("Box", "class", (12, 17), (12, 13), None, None),
            ("size", "constant", (14, 14), (14, 14), None, "Box"),
            ("open", "method", (15, 15), (15, 15), None, "Box"),
            ("lid", "method", (16, 16), (16, 16), None, "Box"),
            ("Shape", "class", (18, 18), (18, 18), None, None),
            ("area", "method", (18, 18), (18, 18), None, "Shape"),
            ("Id", "type", (19, 19), (19, 19), None, None),
            ("Color", "class", (20, 20), (20, 20), None, None),
            ("Tools", "module", (21, 21), (21, 21), None, None),
            ("k", "constant", (21, 21), (21, 21), None, "Tools"),
            ("object", "constant", (22, 22), (22, 22), None, None),
            ("title", "method", (22, 22), (22, 22), None, "object"),
            ("run", "method", (22, 22), (22, 22), None, "object"),
            ("go", "method", (22, 22), (22, 22), None, "object"),
        ],
        id="typescript: JSDoc, exported arrow function, object methods",
    ),
    pytest.param(
        "javascript",
        """
        exports.foo = function () {};
        Foo.prototype.bar = () => 1;
        app.use = function use() {};
        export default function () {}
        describe("x", () => { function helper() {} });
        """,
        [
            ("foo", "function", (1, 1), (1, 1), None, None),
            ("bar", "function", (2, 2), (2, 2), None, None),
            ("use", "function", (3, 3), (3, 3), None, None),
            ("default", "function", (4, 4), (4, 4), None, None),
            ("helper", "function", (5, 5), (5, 5), None, None),
        ],
        id="javascript: functions given to a property",
    ),
    pytest.param(
        "go",
        """
        package p

        // Run runs.
        // Twice.
        func Run(a int,
            b int) error {
            return nil
        }
        func (s *Store[T]) Get() {}
        type Store struct {
            a int
        }
        type Getter interface { Get() }
        const (
            A = iota
            // second
            B
        )
        var v, w = 1, 2
        """,
        [
            ("Run", "function", (3, 8), (5, 6), (3, 4), None),
            ("Get", "method", (9, 9), (9, 9), None, None),
            ("Store", "class", (10, 12), (10, 10), None, None),
            ("Getter", "class", (13, 13), (13, 13), None, None),
            ("Get", "method", (13, 13), (13, 13), None, "Getter"),
            ("A", "constant", (15, 15), (15, 15), None, None),
            ("B", "constant", (16, 17), (17, 17), (16, 16), None),
            ("v", "constant", (19, 19), (19, 19), None, None),
            ("w", "constant", (19, 19), (19, 19), None, None),
        ],
        id="go: comments, methods, groups",
    ),
    pytest.param(
        "c",
        """
        /* Adds. */
        static int **
        add(int a)
        {
            int local = 1;
        }
        NPY_NO_EXPORT PyObject *
        array(int a) { }
        #define MAX(a, b) \\
            ((a) > (b))
        typedef struct { int a; } Pair;
        enum color { RED };
        static const int table[] = {1, 2};
        int add(int a);
        int other(void);
        #ifdef X
        void (*pick(int a))(int) { }
        #endif
        """,
        [
            ("add", "function", (1, 6), (2, 4), (1, 1), None),
            ("array", "function", (7, 8), (7, 8), None, None),
            ("MAX", "macro", (9, 10), (9, 10), None, None),
            ("Pair", "class", (11, 11), (11, 11), None, None),
            ("color", "class", (12, 12), (12, 12), None, None),
            ("table", "constant", (13, 13), (13, 13), None, None),
            ("other", "function", (15, 15), (15, 15), None, None),
            ("pick", "function", (17, 17), (17, 17), None, None),
        ],
        id="c: declarators, macros; a prototype only without its definition",
    ),
    pytest.param(
        "cpp",
        """
        namespace a {
        /// A box.
        template <typename T>
        class Box : public Base {
         public:
          Box();
          virtual int size() const = 0;
          bool operator==(const Box&);
        };
        }
        int a::Box<T>::size() const { return 1; }
        using Id = int;
        """,
        [
            ("a", "module", (1, 10), (1, 1), None, None),
            ("Box", "class", (2, 9), (3, 4), (2, 2), "a"),
            ("Box", "method", (6, 6), (6, 6), None, "Box"),
            ("size", "method", (7, 7), (7, 7), None, "Box"),
            ("operator==", "method", (8, 8), (8, 8), None, "Box"),
            ("size", "function", (11, 11), (11, 11), None, None),
            ("Id", "type", (12, 12), (12, 12), None, None),
        ],
        id="cpp: templates and qualified names",
    ),
    pytest.param(
        "java",
        """
        /** A box. */
        @Entity
        public class Box<T> extends Base {
          static final int K = 1;
          int field;
          /** Opens. */
          @Override
          public int open(int a)
              throws X {
            int local = 1;
          }
          Box() {}
        }
        """,
        [
            ("Box", "class", (1, 13), (2, 3), (1, 1), None),
            ("K", "constant", (4, 4), (4, 4), None, "Box"),
            ("open", "method", (6, 11), (7, 9), (6, 6), "Box"),
            ("Box", "method", (12, 12), (12, 12), None, "Box"),
        ],
        id="java: annotations",
    ),
    pytest.param(
        "kotlin",
        """
        /** A box. */
        class Box(val a: Int) : Base() {
            val x = 1
            fun open(a: Int): Int {
                val local = 1
            }
        }
        fun <T> String.shout(): Int = 1
        typealias Id = Int
        """,
        [
            ("Box", "class", (1, 7), (2, 2), (1, 1), None),
            ("x", "constant", (3, 3), (3, 3), None, "Box"),
            ("open", "method", (4, 6), (4, 4), None, "Box"),
            ("shout", "function", (8, 8), (8, 8), None, None),
            ("Id", "type", (9, 9), (9, 9), None, None),
        ],
        id="kotlin",
    ),
    pytest.param(
        "scala",
        """
        /** A box. */
        class Box(a: Int) extends Base {
          val x = 1
          def open(a: Int): Int = {
            val local = 1
          }
        }
        object Box
        trait Shape { def area: Int }
        """,
        [
            ("Box", "class", (1, 7), (2, 2), (1, 1), None),
            ("x", "constant", (3, 3), (3, 3), None, "Box"),
            ("open", "method", (4, 6), (4, 4), None, "Box"),
            ("Box", "class", (8, 8), (8, 8), None, None),
            ("Shape", "class", (9, 9), (9, 9), None, None),
            ("area", "method", (9, 9), (9, 9), None, "Shape"),
        ],
        id="scala",
    ),
    pytest.param(
        "swift",
        """
        /// A box.
        @objc public class Box: Base {
          static let k = 1
          init() {}
          func open(a: Int) -> Int {
            let local = 1
          }
        }
        extension Foo.Bar: P { func e() {} }
        """,
        [
            ("Box", "class", (1, 8), (2, 2), (1, 1), None),
            ("k", "constant", (3, 3), (3, 3), None, "Box"),
            ("init", "method", (4, 4), (4, 4), None, "Box"),
            ("open", "method", (5, 7), (5, 5), None, "Box"),
            ("Bar", "impl", (9, 9), (9, 9), None, None),
            ("e", "method", (9, 9), (9, 9), None, "Bar"),
        ],
        id="swift",
    ),
    pytest.param(
        "ruby",
        """
        # A box.
        module A::B
          class Box < Base
            K = 1
            def open(a,
                     b)
              # first
              local = 1
            end
            def self.make; end
            define_method(:dynamic) { }
          end
        end
        """,
        [
            ("B", "module", (1, 13), (2, 2), (1, 1), None),
            ("Box", "class", (3, 12), (3, 3), None, "B"),
            ("K", "constant", (4, 4), (4, 4), None, "Box"),
            ("open", "method", (5, 9), (5, 6), None, "Box"),
            ("make", "method", (10, 10), (10, 10), None, "Box"),
            ("dynamic", "method", (11, 11), (11, 11), None, "Box"),
        ],
        id="ruby: self methods, scope in the name",
    ),
    pytest.param(
        "php",
        """
        <?php
        /** A box. */
        #[Entity]
        final class Box extends Base {
            const K = 1;
            public function open(int $a): int
            {
                $local = 1;
            }
        }
        function top($a) { }
        """,
        [
            ("Box", "class", (2, 10), (3, 4), (2, 2), None),
            ("K", "constant", (5, 5), (5, 5), None, "Box"),
            ("open", "method", (6, 9), (6, 7), None, "Box"),
            ("top", "function", (11, 11), (11, 11), None, None),
        ],
        id="php",
    ),
    pytest.param(
        "csharp",
        """
        namespace A.B {
            /// <summary>
            /// A box.
            [Serializable]
            public class Box<T> : Base
            {
                const int K = 1;
                public int Size { get; set; }
                public int Open(int a) => 1;
            }
        }
        """,
        [
            ("B", "module", (1, 11), (1, 1), None, None),
            ("Box", "class", (2, 10), (4, 6), (2, 3), "B"),
            ("K", "constant", (7, 7), (7, 7), None, "Box"),
            ("Size", "constant", (8, 8), (8, 8), None, "Box"),
            ("Open", "method", (9, 9), (9, 9), None, "Box"),
        ],
        id="csharp",
    ),
    pytest.param(
        "elixir",
        '''
        defmodule A.Box do
          @moduledoc """
          Boxes.
          """
          @limit 1
          @doc """
          Opens.
          """
          @spec open(a) :: b
          def open(a) when is_x(a) do
            local = 1
          end
          defp close, do: 1
          defmacro wrap(x) do
          end
          defstruct [:a]
        end
        ''',
        [
            ("A.Box", "module", (1, 17), (1, 1), (2, 4), None),
            ("limit", "constant", (5, 5), (5, 5), None, "A.Box"),
            ("open", "function", (6, 12), (9, 10), (6, 8), "A.Box"),
            ("close", "function", (13, 13), (13, 13), None, "A.Box"),
            ("wrap", "macro", (14, 15), (14, 14), None, "A.Box"),
            ("defstruct", "class", (16, 16), (16, 16), None, "A.Box"),
        ],
        id="elixir: @doc and @spec",
    ),
    pytest.param(
        "lua",
        """
        -- Opens.
        local function open(x)
          local z = 1
        end
        function M.foo(x) end
        function M:bar() end
        M.baz = function(x) end
        local K = 1
        """,
        [
            ("open", "function", (1, 4), (2, 2), (1, 1), None),
            ("foo", "function", (5, 5), (5, 5), None, None),
            ("bar", "function", (6, 6), (6, 6), None, None),
            ("baz", "function", (7, 7), (7, 7), None, None),
            ("K", "constant", (8, 8), (8, 8), None, None),
        ],
        id="lua: functions in tables",
    ),
    pytest.param(
        "bash",
        """
        #!/bin/sh
        # Opens.
        open() {
          local a=1
        }
        export Z=3
        """,
        [
            ("open", "function", (2, 5), (3, 3), (2, 2), None),
            ("Z", "constant", (6, 6), (6, 6), None, None),
        ],
        id="bash: the shebang documents nothing",
    ),
    pytest.param(
        "dart",
        """
        /// A box.
        @Entity()
        class Box extends Base {
          @override
          int open(int a) {
            void inner() {}
          }
          Box.named() : x = 1;
        }
        int top() => 1;
        """,
        [
            ("Box", "class", (1, 9), (2, 3), (1, 1), None),
            ("open", "method", (4, 7), (4, 5), None, "Box"),
            ("inner", "function", (6, 6), (6, 6), None, "open"),
            ("named", "method", (8, 8), (8, 8), None, "Box"),
            ("top", "function", (10, 10), (10, 10), None, None),
        ],
        id="dart: the body is a node beside the signature",
    ),
    pytest.param(
        "zig",
        """
        /// Opens.
        pub fn open(a: i32) void {
            const local = 1;
        }
        pub const Box = struct {
            fn make() void {}
        };
        const std = @import("std");
        """,
        [
            ("open", "function", (1, 4), (2, 2), (1, 1), None),
            ("Box", "class", (5, 7), (5, 5), None, None),
            ("make", "method", (6, 6), (6, 6), None, "Box"),
        ],
        id="zig",
    ),
    pytest.param(
        "groovy",
        """
        // A box.
        class Box extends Base {
          static final K = 1
          int open(int a) {
            def local = 1
          }
        }
        def top(a) { }
        """,
        [
            ("Box", "class", (1, 7), (2, 2), (1, 1), None),
            ("K", "constant", (3, 3), (3, 3), None, "Box"),
            ("open", "method", (4, 6), (4, 4), None, "Box"),
            ("top", "function", (8, 8), (8, 8), None, None),
        ],
        id="groovy",
    ),
    pytest.param(
        "scss",
        """
        // Wide.
        @mixin wide($a) {
          color: red;
        }
        .a { color: red }
        """,
        [("wide", "macro", (1, 4), (2, 2), (1, 1), None)],
        id="scss: mixins, no rule sets",
    ),
    pytest.param(
        "haskell",
        """
        module A where

        -- | Opens.
        open :: Int -> Int
        open 0 = 1
        open n = n

        data Box = Box { x :: Int }
        class Shape a where
          area :: a -> Int
        instance Shape Int where
          area x = 1
        """,
        [
            ("open", "function", (3, 6), (4, 4), (3, 3), None),
            ("Box", "class", (8, 8), (8, 8), None, None),
            ("Shape", "class", (9, 10), (9, 9), None, None),
            ("area", "method", (10, 10), (10, 10), None, "Shape"),
            ("Shape", "impl", (11, 12), (11, 11), None, None),
            ("area", "method", (12, 12), (12, 12), None, "Shape"),
        ],
        id="haskell: signature and equations are one",
    ),
    pytest.param(
        "ocaml",
        """
        (** Opens. *)
        let rec f a b = let local = 1 in local
        and g x = 1
        module M = struct let x = 1 end
        type t = { a : int }
        """,
        [
            ("f", "function", (1, 2), (2, 2), (1, 1), None),
            ("g", "function", (3, 3), (3, 3), None, None),
            ("M", "module", (4, 4), (4, 4), None, None),
            ("x", "constant", (4, 4), (4, 4), None, "M"),
            ("t", "type", (5, 5), (5, 5), None, None),
        ],
        id="ocaml",
    ),
    pytest.param(
        "r",
        """
        #' Opens.
        open <- function(a) {
          local <- 1
        }
        K <- 1
        """,
        [
            ("open", "function", (1, 4), (2, 2), (1, 1), None),
            ("K", "constant", (5, 5), (5, 5), None, None),
        ],
        id="r",
    ),
    pytest.param(
        "julia",
        '''
        module A
        """
        Opens.
        """
        function open(a::T)::Int where T
          local x = 1
        end
        g(x) = 1
        struct Box{T}
          a::Int
        end
        const K = 1
        function Base.show(io) end
        end
        ''',
        [
            ("A", "module", (1, 14), (1, 1), None, None),
            ("open", "function", (2, 7), (5, 5), (2, 4), "A"),
            ("g", "function", (8, 8), (8, 8), None, "A"),
            ("Box", "class", (9, 11), (9, 9), None, "A"),
            ("K", "constant", (12, 12), (12, 12), None, "A"),
            ("show", "function", (13, 13), (13, 13), None, "A"),
        ],
        id="julia: a string above documents",
    ),
    pytest.param(
        "perl",
        """
        package A::B;
        # Opens.
        sub open { my $x = 1; }
        """,
        [
            ("A::B", "module", (1, 1), (1, 1), None, None),
            ("open", "function", (2, 3), (3, 3), (2, 2), None),
        ],
        id="perl",
    ),
    pytest.param(
        "objc",
        """
        /** A box. */
        @interface Box : Base
        - (int)open:(int)a with:(int)b;
        @end
        @implementation Box
        - (int)open:(int)a with:(int)b
        {
          return 1;
        }
        @end
        """,
        [
            ("Box", "class", (1, 4), (2, 2), (1, 1), None),
            ("open", "method", (3, 3), (3, 3), None, "Box"),
            ("Box", "impl", (5, 10), (5, 5), None, None),
            ("open", "method", (6, 9), (6, 7), None, "Box"),
        ],
        id="objc",
    ),
    pytest.param(
        "solidity",
        """
        /// A box.
        contract Box is Base {
            uint256 constant K = 1;
            function open(uint a) public returns (uint) {
                uint l = 1;
            }
        }
        """,
        [
            ("Box", "class", (1, 7), (2, 2), (1, 1), None),
            ("K", "constant", (3, 3), (3, 3), None, "Box"),
            ("open", "method", (4, 6), (4, 4), None, "Box"),
        ],
        id="solidity",
    ),
    pytest.param(
        "powershell",
        """
        # Opens.
        function Open-Box($a) {
            $local = 1
        }
        class Box : Base {
            [int] M([int]$a) { return 1 }
        }
        """,
        [
            ("Open-Box", "function", (1, 4), (2, 2), (1, 1), None),
            ("Box", "class", (5, 7), (5, 5), None, None),
            ("M", "method", (6, 6), (6, 6), None, "Box"),
        ],
        id="powershell",
    ),
    pytest.param(
        "sql",
        """
        -- Boxes.
        CREATE TABLE a.box (
          id int
        );
        CREATE VIEW v AS SELECT 1;
        """,
        [
            ("box", "class", (1, 4), (2, 2), (1, 1), None),
            ("v", "class", (5, 5), (5, 5), None, None),
        ],
        id="sql",
    ),
    pytest.param(
        "proto",
        """
        syntax = "proto3";
        // A box.
        message Box {
          int32 a = 1;
        }
        service S {
          rpc Open(Box) returns (Box);
        }
        """,
        [
            ("Box", "class", (2, 5), (3, 3), (2, 2), None),
            ("S", "class", (6, 8), (6, 6), None, None),
            ("Open", "method", (7, 7), (7, 7), None, "S"),
        ],
        id="proto",
    ),
    pytest.param(
        "graphql",
        '''
        """
        A box.
        """
        type Box implements I {
          a: Int
        }
        ''',
        [("Box", "class", (1, 6), (4, 4), (1, 3), None)],
        id="graphql: the description stands inside",
    ),
    pytest.param(
        "markdown",
        """
        # Top `code`

        text
        ## Sub ##
        ```
        # no heading
        ```
        ### Deep

        Second
        ======
        end
        """,
        [
            ("Top `code`", "section", (1, 8), (1, 1), None, None),
            ("Sub", "section", (4, 8), (4, 4), None, "Top `code`"),
            ("Deep", "section", (8, 8), (8, 8), None, "Sub"),
            ("Second", "section", (10, 12), (10, 11), None, None),
        ],
        id="markdown: both heading styles, not inside code",
    ),
    pytest.param(
        "rst",
        """
        =====
        Title
        =====

        Part
        ====

        Piece
        -----
        text

        Other
        ====
        """,
        [
            ("Title", "section", (1, 13), (1, 3), None, None),
            ("Part", "section", (5, 10), (5, 6), None, "Title"),
            ("Piece", "section", (8, 10), (8, 9), None, "Part"),
            ("Other", "section", (12, 13), (12, 13), None, "Title"),
        ],
        id="rst: underlines rank by first use",
    ),
    pytest.param(
        "toml",
        """
        x = 1
        [tool.box]
        a = 1
        """,
        [("tool.box", "section", (2, 3), (2, 2), None, None)],
        id="toml",
    ),
    pytest.param(
        "vue",
        """
        <template><p/></template>
        <script setup lang="ts">
        const open = () => {
          return 1
        }
        </script>
        """,
        [("open", "function", (3, 5), (3, 3), None, None)],
        id="vue: the script keeps its lines",
    ),
]


@pytest.mark.parametrize(("language", "source", "expected"), CASES)
def test_definitions(language: str, source: str, expected: list[Row]) -> None:
    assert rows(source, language) == expected


@pytest.mark.parametrize(
    ("language", "source"),
    [
        pytest.param("python", "import os\nfrom a import b\nprint(1)\nx.y = 1\nx += 1\n", id="python"),
        pytest.param("python", "for i in x:\n    y = 1\n", id="python: loop variable"),
        pytest.param("javascript", "import a from 'a';\nfoo();\nx = 1;\nit('does', () => {});\n", id="calls"),
        pytest.param("javascript", "const a = require('a');\n", id="javascript: require"),
        pytest.param("javascript", "if (x) { const y = 1; }\n", id="javascript: block variable"),
        pytest.param("typescript", "export { a as b } from 'x';\n", id="typescript: re-export"),
        pytest.param("rust", "use a::b;\nmod other;\nfoo!();\n", id="rust: use, module elsewhere"),
        pytest.param("go", 'package p\nimport "fmt"\n', id="go: import"),
        pytest.param("c", '#include "a.h"\n#define GUARD\nstruct s;\nextern int e;\n', id="c: declarations"),
        pytest.param("java", "package p;\nimport q.R;\n", id="java: import"),
        pytest.param("ruby", "require 'x'\nputs 1\nx = 1\n", id="ruby"),
        pytest.param("elixir", "import A\nfoo(1)\nx = 1\n", id="elixir"),
        pytest.param("lua", "local a = require('a')\nprint(1)\n", id="lua"),
        pytest.param("bash", "echo x\nif true; then y=1; fi\n", id="bash"),
        pytest.param("css", ".a { color: red }\n", id="css: no entry in the table"),
        pytest.param("vue", "<template>function f() {}</template>\n", id="vue: text outside the script"),
    ],
)
def test_no_definitions(language: str, source: str) -> None:
    assert rows(source, language) == []


@pytest.mark.parametrize(
    ("language", "source"),
    [
        pytest.param("python", "def f():\n    a = 1\n    if a:\n        b = 2\n", id="python"),
        pytest.param("typescript", "function f() { const a = 1; let b = g(); }\n", id="typescript"),
        pytest.param("rust", "fn f() { let a = 1; const B: u8 = 1; }\n", id="rust"),
        pytest.param("go", "package p\nfunc f() { a := 1; var b int; const c = 1 }\n", id="go"),
        pytest.param("c", "void f(void) {\n#ifdef A\n  int b = 1;\n#endif\n  int g(void);\n}\n", id="c"),
        pytest.param("kotlin", "fun f() { val a = 1 }\n", id="kotlin"),
    ],
)
def test_locals_are_no_definitions(language: str, source: str) -> None:
    assert [row[0] for row in rows(source, language)] == ["f"]


@pytest.mark.parametrize("language", [*sorted(QUERIES), *sorted(SCRIPT_LANGUAGES)])
def test_every_language_accepts_an_empty_file(language: str) -> None:
    assert found(b"", language) == ()


def test_no_grammar() -> None:
    assert outline.parse(b"x", "no such language") is None


def test_syntax_errors_leave_the_rest() -> None:
    source = b"def good():\n    pass\n\ndef broken(:\n\nclass Also:\n    def fine(self): pass\n"
    assert {"good", "fine"} <= {unit.name for unit in found(source, "python")}


def test_windows_line_ends() -> None:
    units = found(b"# doc\r\ndef f(\r\n    a,\r\n):\r\n    return 1\r\n\r\n", "python")
    assert [(unit.span, unit.declaration, unit.documentation) for unit in units] == [((1, 5), (2, 4), (1, 1))]


def test_deep_nesting() -> None:
    depth = 10_000
    source = b"function f() {" * depth + b"}" * depth
    units = found(source, "javascript")
    assert len(units) == depth
    assert units[-1].parent == depth - 2


def test_deep_declarators() -> None:
    assert found(b"int " + b"*" * 10_000 + b"f(void) { }\n", "c")[0].name == "f"


def test_names_beyond_ascii() -> None:
    assert [unit.name for unit in found("def größe(): pass\nπ = 3\n".encode(), "python")] == ["größe", "π"]


def test_names_that_are_not_utf8() -> None:
    names = [unit.name for unit in found(b"# Caf\xe9\ntext\n", "markdown")]
    assert names == ["Caf\ufffd"]


def test_blank_line_parts_a_comment_from_what_follows() -> None:
    (unit,) = found(b"# licence\n\ndef f(): pass\n", "python")
    assert (unit.span, unit.documentation) == ((3, 3), None)


def test_trailing_comment_belongs_to_the_line_before() -> None:
    units = found(b"int a = 1; // about a\nint b = 2;\n", "c")
    assert [unit.span for unit in units] == [(1, 1), (2, 2)]


def test_order_and_parents() -> None:
    source = b"class A:\n    # c\n    @d\n    def f(self):\n        def g(): pass\n\nX = 1\n"
    units = found(source, "python")
    assert all(before.span[0] <= after.span[0] for before, after in pairwise(units))
    assert [unit.parent for unit in units] == [None, 0, 1, None]


def test_import_is_cheap() -> None:
    probe = "import sys, tobler_pack.corpus.outline; print('tree_sitter' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("language", sorted(QUERIES))
def test_every_pattern_of_the_table_fits_the_pinned_grammar(language: str) -> None:
    queries = outline._queries(language)
    numbers = sorted(number for query in queries for number in query.numbers)
    assert numbers == list(range(len(numbers)))
    assert numbers, f"no grammar for {language}"


def test_a_dialect_that_lacks_some_nodes_still_gives_its_definitions() -> None:
    source = b"def rule(name):\n    pass\n"
    tree = outline.parse(source, "starlark")
    assert tree is not None
    assert [one.name for one in outline.definitions(tree, source, "starlark")] == ["rule"]

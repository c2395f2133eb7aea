"""What counts as a definition in each language: one tree-sitter query per language.

Every pattern begins at the start of a line; its further lines are indented.
A pattern answers with these captures:

- the unit itself, under its kind: `@function`, `@method`, `@class`, `@impl`, `@module`, `@type`, `@constant`,
  `@macro`, `@section`, or `@prototype` (a function without a body; yields to a definition of that name);
- `@name`, the node that holds its name;
- `@body`, where the declaration ends; without it the unit's field `body` is taken.

Patterns of a second sort say more about a unit that another pattern names: `@owner` with `@body` or `@doc`
(documentation inside the unit), `@inner` with `@outer` (a wrapper that belongs to the unit, such as an export
or a list of decorators). `@comment` and `@mark` (attribute, annotation) are lines that belong to the unit
directly below them. A name under `@skip` is no definition. Where two patterns name the same node, the one
that stands first wins.
"""

from __future__ import annotations

CLAUSE_LANGUAGES = frozenset({"haskell"})
"""Languages that write one function as several equations, each of them a node of its own."""

HEADING_LANGUAGES = frozenset({"markdown", "rst"})
"""Languages whose sections run from a heading to the next, whatever the tree says."""

SCRIPT_LANGUAGES = {"vue": "typescript", "svelte": "typescript"}
"""Markup whose definitions stand in `<script>`, and the grammar for those lines."""

SHALLOW_LANGUAGES = {"c": 10, "cpp": 16, "rst": 2}
"""Depth of nodes below which no definition starts: preprocessor conditions, namespaces and classes nest,
functions do not. Much of the query's time goes into the expressions below."""

ALIASES = {"zsh": "bash", "terraform": "hcl", "starlark": "python", "jsx": "javascript", "php_only": "php"}
"""Languages that share the query of another, with a grammar of their own or one that answers to this name."""

_PYTHON = """
(function_definition name: (_) @name body: (_) @body) @function
(class_definition name: (_) @name body: (_) @body) @class
(module (expression_statement (assignment left: (identifier) @name right: (_)) @constant))
(module (expression_statement (assignment left: (pattern_list (identifier) @name)) @constant))
(module (if_statement [
  (block (expression_statement (assignment left: (identifier) @name right: (_)) @constant))
  (_ (block (expression_statement (assignment left: (identifier) @name right: (_)) @constant)))]))
(module (try_statement [
  (block (expression_statement (assignment left: (identifier) @name right: (_)) @constant))
  (_ (block (expression_statement (assignment left: (identifier) @name right: (_)) @constant)))]))
(class_definition body: (block (expression_statement
  (assignment left: (identifier) @name right: (_)) @constant)))
(type_alias_statement left: (type (_) @name)) @type
(function_definition body: (block . (expression_statement (string) @doc))) @owner
(class_definition body: (block . (expression_statement (string) @doc))) @owner
(decorated_definition definition: (_) @inner) @outer
(comment) @comment
"""

_RUST = """
(function_item name: (_) @name) @function
(function_signature_item name: (_) @name) @function
(struct_item name: (_) @name) @class
(enum_item name: (_) @name) @class
(union_item name: (_) @name) @class
(trait_item name: (_) @name) @class
(impl_item type: (_) @name) @impl
(mod_item name: (_) @name body: (_)) @module
(macro_definition name: (_) @name) @macro
(type_item name: (_) @name) @type
(const_item name: (_) @name) @constant
(static_item name: (_) @name) @constant
(line_comment) @comment
(block_comment) @comment
(attribute_item) @mark
"""

# What TypeScript and JavaScript share; their class fields go by different names.
_SCRIPT = """
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(class_declaration name: (_) @name) @class
(method_definition name: (_) @name) @method
(variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)
          (generator_function body: (_) @body)]) @function
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @class
(pair key: [(property_identifier) @name (string (string_fragment) @name)]
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)
          (generator_function body: (_) @body)]) @method
(assignment_expression left: [(identifier) @name (member_expression property: (_) @name)]
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)
          (generator_function body: (_) @body)]) @function
(assignment_expression left: [(identifier) @name (member_expression property: (_) @name)]
  right: (class body: (_) @body)) @class
(export_statement "default" @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function
(export_statement "default" @name value: (class body: (_) @body)) @class
(program [(lexical_declaration (variable_declarator name: (identifier) @name) @constant)
          (variable_declaration (variable_declarator name: (identifier) @name value: (_)) @constant)
          (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @constant))
          (export_statement (variable_declaration (variable_declarator name: (identifier) @name) @constant))])
(program (expression_statement (assignment_expression
  left: (member_expression object: (identifier) @_exports property: (_) @name)
  (#eq? @_exports "exports")) @constant))
(variable_declarator name: (identifier) @skip
  value: (call_expression function: (identifier) @_require) (#eq? @_require "require"))
(export_statement declaration: (_) @inner) @outer
(comment) @comment
(decorator) @mark
"""

_JAVASCRIPT = (
    _SCRIPT
    + """
(field_definition property: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method
(field_definition property: (_) @name value: (_)) @constant
"""
)

_TYPESCRIPT = (
    _SCRIPT
    + """
(function_signature name: (_) @name) @function
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class
(abstract_method_signature name: (_) @name) @method
(method_signature name: (_) @name) @method
(public_field_definition name: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method
(public_field_definition name: (_) @name value: (_)) @constant
(type_alias_declaration name: (_) @name) @type
(internal_module name: (_) @name) @module
(module name: [(identifier) @name (nested_identifier) @name (string (string_fragment) @name)]) @module
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @constant))
(internal_module body: (statement_block
  [(lexical_declaration (variable_declarator name: (identifier) @name) @constant)
   (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @constant))]))
(ambient_declaration (_) @inner) @outer
"""
)

_GO = """
(function_declaration name: (_) @name) @function
(method_declaration name: (_) @name) @method
(method_elem name: (_) @name) @method
(type_spec name: (_) @name type: (struct_type (field_declaration_list) @body)) @class
(type_spec name: (_) @name type: (interface_type "{" @body)) @class
(type_spec name: (_) @name) @type
(type_alias name: (_) @name) @type
(source_file (const_declaration (const_spec name: (identifier) @name) @constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @constant))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @constant)))
(comment) @comment
"""

_C = """
(function_definition declarator: (_) @name) @function
(declaration declarator: [
  (function_declarator declarator: (identifier)) @name
  (pointer_declarator declarator: (function_declarator declarator: (identifier)) @name)
  (pointer_declarator declarator: (pointer_declarator
    declarator: (function_declarator declarator: (identifier)) @name))]) @prototype
(preproc_function_def name: (_) @name value: (_)) @macro
(preproc_def name: (_) @name value: (_)) @constant
(struct_specifier name: (_) @name body: (_) @body) @class
(union_specifier name: (_) @name body: (_) @body) @class
(enum_specifier name: (_) @name body: (_) @body) @class
(type_definition type: [(struct_specifier body: (_) @body) (union_specifier body: (_) @body)
  (enum_specifier body: (_) @body)] declarator: (_) @name) @class
(type_definition type: [(struct_specifier name: (_) @skip body: (_))
  (union_specifier name: (_) @skip body: (_))
  (enum_specifier name: (_) @skip body: (_))])
(type_definition declarator: (_) @name) @type
(translation_unit (declaration declarator: (init_declarator declarator: (_) @name)) @constant)
(preproc_ifdef (declaration declarator: (init_declarator declarator: (_) @name)) @constant)
(preproc_if (declaration declarator: (init_declarator declarator: (_) @name)) @constant)
(comment) @comment
"""

_CPP = (
    _C
    + """
(field_declaration declarator: [
  (function_declarator declarator: [(field_identifier) (operator_name)]) @name
  (pointer_declarator declarator: (function_declarator declarator: (field_identifier)) @name)
  (reference_declarator (function_declarator
    declarator: [(field_identifier) (operator_name)]) @name)]) @prototype
(declaration declarator: [(function_declarator declarator: (destructor_name)) @name (operator_cast) @name
  (reference_declarator (function_declarator declarator: (identifier)) @name)]) @prototype
(field_declaration declarator: (field_identifier) @name default_value: (_)) @constant
(class_specifier name: (_) @name body: (_) @body) @class
(namespace_definition name: (_) @name body: (_) @body) @module
(alias_declaration name: (_) @name) @type
(concept_definition name: (_) @name) @type
(declaration_list (declaration declarator: (init_declarator declarator: (_) @name)) @constant)
(template_declaration (_) @inner) @outer
"""
)

_OBJC = (
    _C
    + """
(class_interface . (identifier) @name) @class
(class_implementation . (identifier) @name) @impl
(protocol_declaration . (identifier) @name) @class
(method_declaration (method_type) . (identifier) @name) @method
(method_definition (method_type) . (identifier) @name (compound_statement) @body) @method
(class_interface . (identifier) @body (method_declaration)) @owner
(class_implementation . (identifier) @body) @owner
(protocol_declaration . (identifier) @body) @owner
"""
)

_JAVA = """
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(annotation_type_declaration name: (_) @name) @class
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(compact_constructor_declaration name: (_) @name) @method
(annotation_type_element_declaration name: (_) @name) @method
(field_declaration (modifiers "static") declarator: (variable_declarator name: (_) @name)) @constant
(constant_declaration declarator: (variable_declarator name: (_) @name)) @constant
(line_comment) @comment
(block_comment) @comment
"""

_KOTLIN = """
(class_declaration name: (_) @name) @class
(object_declaration name: (_) @name) @class
(companion_object name: (_) @name) @class
(function_declaration name: (_) @name) @function
(secondary_constructor "constructor" @name) @method
(source_file (property_declaration (variable_declaration (identifier) @name)) @constant)
(class_body (property_declaration (variable_declaration (identifier) @name)) @constant)
(type_alias type: (_) @name) @type
(class_declaration [(class_body) (enum_class_body)] @body) @owner
(object_declaration (class_body) @body) @owner
(companion_object (class_body) @body) @owner
(function_declaration (function_body) @body) @owner
(secondary_constructor (block) @body) @owner
(line_comment) @comment
(block_comment) @comment
"""

_SCALA = """
(class_definition name: (_) @name) @class
(object_definition name: (_) @name) @class
(trait_definition name: (_) @name) @class
(enum_definition name: (_) @name) @class
(package_object name: (_) @name) @module
(function_definition name: (_) @name) @function
(function_declaration name: (_) @name) @function
(given_definition name: (_) @name) @constant
(type_definition name: (_) @name) @type
(compilation_unit [(val_definition pattern: (identifier) @name)
  (var_definition pattern: (identifier) @name)] @constant)
(template_body [(val_definition pattern: (identifier) @name) (var_definition pattern: (identifier) @name)
  (val_declaration name: (_) @name) (var_declaration name: (_) @name)] @constant)
(comment) @comment
(block_comment) @comment
"""

_SWIFT = """
(class_declaration declaration_kind: "extension" name: (user_type (type_identifier) @name .)) @impl
(class_declaration name: (type_identifier) @name) @class
(protocol_declaration name: (_) @name) @class
(function_declaration name: (simple_identifier) @name) @function
(protocol_function_declaration name: (simple_identifier) @name) @function
(init_declaration name: _ @name) @method
(deinit_declaration "deinit" @name) @method
(subscript_declaration "subscript" @name) @method
(typealias_declaration name: (type_identifier) @name) @type
(source_file (property_declaration name: (pattern bound_identifier: (_) @name)) @constant)
(class_body (property_declaration name: (pattern bound_identifier: (_) @name)) @constant)
(enum_class_body (property_declaration name: (pattern bound_identifier: (_) @name)) @constant)
(protocol_property_declaration name: (pattern bound_identifier: (_) @name)) @constant
(comment) @comment
(multiline_comment) @comment
"""

_RUBY = """
(module name: (_) @name) @module
(class name: (_) @name) @class
(method name: (_) @name) @function
(singleton_method name: (_) @name) @method
(assignment left: [(constant) @name (scope_resolution name: (constant) @name)]) @constant
(call method: (identifier) @_define arguments: (argument_list . (simple_symbol) @name)
  (#any-of? @_define "define_method" "define_singleton_method")) @method
(call arguments: (argument_list (method) @inner)) @outer
(comment) @comment
"""

_PHP = """
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @class
(trait_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class
(method_declaration name: (_) @name) @method
(function_definition name: (_) @name) @function
(namespace_definition name: (_) @name body: (_)) @module
(const_declaration (const_element . (name) @name)) @constant
(program (expression_statement (assignment_expression left: (variable_name (name) @name)
  right: (anonymous_function body: (_) @body)) @function))
(function_call_expression function: (name) @_define
  arguments: (arguments . (argument (string (string_content) @name))) (#eq? @_define "define")) @constant
(comment) @comment
"""

_CSHARP = """
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class
(namespace_declaration name: [(identifier) @name (qualified_name) @name]) @module
(delegate_declaration name: (_) @name) @type
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(destructor_declaration name: (_) @name) @method
(local_function_statement name: (_) @name) @function
(operator_declaration operator: _ @name) @method
(indexer_declaration "this" @name) @method
(property_declaration name: (_) @name accessors: (_) @body) @constant
(property_declaration name: (_) @name) @constant
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @constant
(field_declaration (modifier) @_modifier (variable_declaration (variable_declarator name: (_) @name))
  (#any-of? @_modifier "const" "static")) @constant
(comment) @comment
"""

_ELIXIR = """
(call target: (identifier) @_define (arguments . [(alias) @name (atom) @name])
  (#any-of? @_define "defmodule" "defprotocol")) @module
(call target: (identifier) @_define (arguments . (alias) @name) (#eq? @_define "defimpl")) @impl
(call target: (identifier) @_define (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")])
  (#any-of? @_define "def" "defp" "defdelegate" "defguard" "defguardp" "defn" "defnp")) @function
(call target: (identifier) @_define (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")])
  (#any-of? @_define "defmacro" "defmacrop")) @macro
(call target: (identifier) @name (#any-of? @name "defstruct" "defexception")) @class
(do_block (unary_operator operand: (call target: (identifier) @_type (arguments . (binary_operator
    left: [(identifier) @name (call target: (identifier) @name)])))
  (#any-of? @_type "type" "typep" "opaque" "callback" "macrocallback")) @type)
(do_block (unary_operator operator: "@" operand: (call target: (identifier) @name (arguments))
  (#not-match? @name "^((module|type|short)?doc|spec|impl|typep?|opaque|(macro)?callback|behaviour|derive)$")
  (#not-match? @name "^(deprecated|dialyzer|(module|describe)?tag|since|enforce_keys|compile|on_load)$"))
  @constant)
(call target: (identifier) @_define (do_block) @body
  (#match? @_define "^def")) @owner
(call (do_block (unary_operator operand: (call target: (identifier) @_doc (arguments (string)))
  (#eq? @_doc "moduledoc")) @doc)) @owner
(unary_operator operand: (call target: (identifier) @_doc (arguments (_)))
  (#any-of? @_doc "doc" "typedoc")) @comment
(unary_operator operand: (call target: (identifier) @_mark)
  (#any-of? @_mark "spec" "impl" "deprecated" "tag" "dialyzer")) @mark
(comment) @comment
"""

_LUA = """
(function_declaration name: (identifier) @name) @function
(function_declaration name: (dot_index_expression field: (_) @name)) @function
(function_declaration name: (method_index_expression method: (_) @name)) @function
(assignment_statement (variable_list . name: [(identifier) @name (dot_index_expression field: (_) @name)])
  (expression_list . value: (function_definition))) @function
(field name: [(identifier) @name] value: (function_definition)) @function
(chunk [(assignment_statement (variable_list . name: (identifier) @name))
  (variable_declaration (assignment_statement (variable_list . name: (identifier) @name)))] @constant)
(assignment_statement (expression_list . value: (function_definition body: (_) @body))) @owner
(field value: (function_definition body: (_) @body)) @owner
(variable_declaration (assignment_statement (variable_list . name: (identifier) @skip)
  (expression_list . value: (function_call name: (identifier) @_require))) (#eq? @_require "require"))
(comment) @comment
"""

_BASH = """
(function_definition name: (_) @name) @function
(program (variable_assignment name: (variable_name) @name) @constant)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @constant)
(comment) @comment
"""

_DART = """
(class_definition name: (_) @name) @class
(mixin_declaration . (mixin) . (identifier) @name (class_body) @body) @class
(extension_declaration name: (_) @name) @impl
(enum_declaration name: (_) @name) @class
(type_alias . (type_identifier) @name) @type
((function_signature name: (_) @name) @function . (function_body) @body)
((method_signature [(function_signature name: (_) @name) (getter_signature name: (_) @name)
  (setter_signature name: (_) @name) (operator_signature (binary_operator) @name)
  (factory_constructor_signature (identifier) @name . (formal_parameter_list))
  (constructor_signature name: (identifier) @name . parameters: (_))]) @method . (function_body) @body)
(declaration [(function_signature name: (_) @name) (getter_signature name: (_) @name)
  (constructor_signature name: (identifier) @name . parameters: (_))
  (constant_constructor_signature (identifier) @name . (formal_parameter_list))]) @method
(declaration (static_final_declaration_list (static_final_declaration . (identifier) @name))) @constant
(program (static_final_declaration_list (static_final_declaration . (identifier) @name)) @constant)
(lambda_expression parameters: (function_signature name: (_) @name) body: (_) @body) @function
(comment) @comment
(documentation_comment) @comment
(annotation) @mark
"""

_ZIG = """
(function_declaration name: (_) @name) @function
(variable_declaration . (identifier) @name
  [(struct_declaration) (enum_declaration) (union_declaration) (opaque_declaration)] @body) @class
(source_file (variable_declaration . (identifier) @name) @constant)
(struct_declaration (variable_declaration . (identifier) @name) @constant)
(variable_declaration . (identifier) @skip
  (builtin_function (builtin_identifier) @_import) (#eq? @_import "@import"))
(comment) @comment
"""

_GROOVY = """
(class_definition name: (_) @name) @class
(function_definition function: (_) @name) @function
(function_declaration function: (_) @name) @function
(source_file (declaration name: (identifier) @name) @constant)
(class_definition body: (closure (declaration (modifier) name: (identifier) @name) @constant))
(comment) @comment
(groovy_doc) @comment
"""

_HASKELL = """
(declarations (function name: (variable) @name) @function)
(declarations (bind name: (variable) @name) @function)
(declarations (signature name: (variable) @name) @function)
(class_declarations [(function name: (variable) @name) (signature name: (variable) @name)] @function)
(instance_declarations [(function name: (variable) @name) (bind name: (variable) @name)] @function)
(data_type name: (_) @name) @class
(newtype name: (_) @name) @class
(type_synomym name: (_) @name) @type
(class name: (_) @name declarations: (_) @body) @class
(class name: (_) @name) @class
(instance name: (_) @name declarations: (_) @body) @impl
(instance name: (_) @name) @impl
(function match: (_) @body) @owner
(comment) @comment
(haddock) @comment
"""

_OCAML = """
(compilation_unit (value_definition (let_binding pattern: (value_name) @name (parameter)) @function))
(structure (value_definition (let_binding pattern: (value_name) @name (parameter)) @function))
(let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)]) @function
(compilation_unit (value_definition (let_binding pattern: (value_name) @name) @constant))
(structure (value_definition (let_binding pattern: (value_name) @name) @constant))
(module_definition (module_binding (module_name) @name)) @module
(module_type_definition (module_type_name) @name) @module
(type_definition (type_binding name: (_) @name) @type)
(class_definition (class_binding (class_name) @name)) @class
(method_definition (method_name) @name) @method
(exception_definition (constructor_declaration (constructor_name) @name)) @class
(external (value_name) @name) @function
(value_specification (value_name) @name) @function
(module_definition (module_binding body: (_) @body)) @owner
(class_definition (class_binding body: (_) @body)) @owner
(comment) @comment
"""

_R = """
(binary_operator lhs: [(identifier) @name (string (string_content) @name)
    (extract_operator rhs: (identifier) @name)]
  rhs: (function_definition body: (_) @body)) @function
(argument name: (identifier) @name value: (function_definition body: (_) @body)) @function
(call function: (identifier) @_define
  arguments: (arguments . (argument value: (string content: (_) @name))
    (argument value: (function_definition body: (_) @body)))
  (#any-of? @_define "setMethod" "setGeneric" "setReplaceMethod")) @function
(call function: (identifier) @_define arguments: (arguments . (argument value: (string content: (_) @name)))
  (#any-of? @_define "setClass" "setRefClass")) @class
(program (binary_operator lhs: (identifier) @name operator: ["<-" "="]) @constant)
(comment) @comment
"""

# A string directly above a unit is its documentation; elsewhere it stands above nothing.
_JULIA = """
(module_definition name: (_) @name (block) @body) @module
(function_definition (signature) @name (block) @body) @function
(function_definition (signature) @name) @function
(macro_definition (signature) @name (block) @body) @macro
(macro_definition (signature) @name) @macro
(assignment . [(call_expression) @name (where_expression (call_expression) @name)
  (typed_expression (call_expression) @name)
  (where_expression (typed_expression (call_expression) @name))]) @function
(struct_definition (type_head) @name (block) @body) @class
(struct_definition (type_head) @name) @class
(abstract_definition (type_head) @name) @class
(const_statement (assignment . (identifier) @name)) @constant
(source_file (assignment . (identifier) @name) @constant)
(module_definition (block (assignment . (identifier) @name) @constant))
(block (string_literal) @comment)
(source_file (string_literal) @comment)
(line_comment) @comment
(block_comment) @comment
"""

_PERL = """
(function_definition name: (_) @name) @function
(package_statement (package_name) @name body: (_)) @module
(package_statement (package_name) @name) @module
(use_constant_statement constant: (_) @name) @constant
(source_file (binary_expression variable: (variable_declaration (scope) @_scope variable_name: (_) @name)
  (#eq? @_scope "our")) @constant)
(comments) @comment
"""

_SOLIDITY = """
(contract_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @class
(library_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class
(function_definition name: (_) @name) @function
(modifier_definition name: (_) @name) @function
(constructor_definition "constructor" @name) @method
(event_definition name: (_) @name) @type
(error_declaration name: (_) @name) @type
(state_variable_declaration name: (_) @name) @constant
(comment) @comment
"""

_POWERSHELL = """
(function_statement (function_name) @name (script_block) @body) @function
(function_statement (function_name) @name) @function
(class_statement . (simple_name) @name) @class
(enum_statement . (simple_name) @name) @class
(class_method_definition (simple_name) @name (script_block) @body) @method
(class_method_definition (simple_name) @name) @method
(class_statement [(class_property_definition) (class_method_definition)] @body) @owner
(comment) @comment
"""

_SCSS = """
(mixin_statement (name) @name (block) @body) @macro
(function_statement (name) @name (block) @body) @function
(stylesheet (declaration (variable_name) @name) @constant)
(comment) @comment
(single_line_comment) @comment
"""

_SQL = """
(create_table (keyword_table) . (object_reference name: (_) @name)) @class
(create_table (keyword_exists) . (object_reference name: (_) @name)) @class
(create_view (object_reference name: (_) @name) . (keyword_as)) @class
(create_materialized_view (object_reference name: (_) @name)) @class
(create_function (keyword_function) . (object_reference name: (_) @name) (function_body) @body) @function
(create_trigger (keyword_trigger) . (object_reference name: (_) @name)) @function
(create_type (keyword_type) . (object_reference name: (_) @name)) @type
(create_table (column_definitions) @body) @owner
(comment) @comment
(marginalia) @comment
"""

_MARKDOWN = """
(atx_heading heading_content: (_) @name) @section
(setext_heading heading_content: (_) @name) @section
"""

_RST = "(section (title) @name) @section"

_PROTO = """
(message (message_name) @name (message_body) @body) @class
(enum (enum_name) @name (enum_body) @body) @class
(service (service_name) @name (rpc)? @body) @class
(rpc (rpc_name) @name) @method
(comment) @comment
"""

_GRAPHQL = """
(object_type_definition (name) @name) @class
(interface_type_definition (name) @name) @class
(enum_type_definition (name) @name) @class
(input_object_type_definition (name) @name) @class
(scalar_type_definition (name) @name) @type
(union_type_definition (name) @name) @type
(object_type_extension (name) @name) @impl
(directive_definition (name) @name) @macro
(operation_definition (name) @name (selection_set) @body) @function
(fragment_definition (fragment_name) @name (selection_set) @body) @function
(object_type_definition (fields_definition) @body) @owner
(interface_type_definition (fields_definition) @body) @owner
(input_object_type_definition (input_fields_definition) @body) @owner
(enum_type_definition (enum_values_definition) @body) @owner
(_ . (description) @doc (name)) @owner
(comment) @comment
"""

_TOML = """
(table (pair) @body) @owner
(table_array_element (pair) @body) @owner
(table . [(bare_key) (dotted_key) (quoted_key)] @name) @section
(table_array_element . [(bare_key) (dotted_key) (quoted_key)] @name) @section
(comment) @comment
"""

_YAML = """
(document (block_node (block_mapping (block_mapping_pair key: (_) @name value: (block_node) @body) @section)))
(document (block_node (block_mapping (block_mapping_pair key: (_) @name) @section)))
(comment) @comment
"""

_HCL = """
(config_file (body (block (string_lit (template_literal) @name) . (block_start) @body) @section))
(comment) @comment
"""

_MAKE = """
(rule (targets . (word) @name) (recipe) @body) @function
(define_directive name: (_) @name) @macro
(makefile (variable_assignment name: (_) @name) @constant)
(comment) @comment
"""

QUERIES: dict[str, str] = {
    "bash": _BASH,
    "c": _C,
    "cpp": _CPP,
    "csharp": _CSHARP,
    "dart": _DART,
    "elixir": _ELIXIR,
    "go": _GO,
    "graphql": _GRAPHQL,
    "groovy": _GROOVY,
    "haskell": _HASKELL,
    "hcl": _HCL,
    "java": _JAVA,
    "javascript": _JAVASCRIPT,
    "julia": _JULIA,
    "kotlin": _KOTLIN,
    "lua": _LUA,
    "make": _MAKE,
    "markdown": _MARKDOWN,
    "objc": _OBJC,
    "ocaml": _OCAML,
    "perl": _PERL,
    "php": _PHP,
    "powershell": _POWERSHELL,
    "proto": _PROTO,
    "python": _PYTHON,
    "r": _R,
    "rst": _RST,
    "ruby": _RUBY,
    "rust": _RUST,
    "scala": _SCALA,
    "scss": _SCSS,
    "solidity": _SOLIDITY,
    "sql": _SQL,
    "swift": _SWIFT,
    "toml": _TOML,
    "tsx": _TYPESCRIPT,
    "typescript": _TYPESCRIPT,
    "yaml": _YAML,
    "zig": _ZIG,
}

//! Which spans of a TypeScript program are types.

use oxc_ast::ast::{
    ArrowFunctionExpression, Class, ClassElement, Declaration, Decorator, FormalParameter,
    FormalParameters, Function, FunctionType, Program, Statement, TSAsExpression,
    TSInstantiationExpression, TSNonNullExpression, TSSatisfiesExpression, TSThisParameter,
    TSTypeAnnotation, TSTypeAssertion, TSTypeParameterDeclaration, TSTypeParameterInstantiation,
    VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan as _, Span};
use oxc_syntax::scope::ScopeFlags;

use super::layout::Layout;
use super::{Refused, class, module_refused};

/// The program with its types blanked, or the first construct that has no meaning without them.
pub(super) fn blank(source: &str, program: &Program<'_>) -> Result<String, Refused> {
    let mut blanker = Blanker { layout: Layout::new(source), refused: None };
    blanker.visit_program(program);
    match blanker.refused {
        Some(refused) => Err(refused),
        None => Ok(blanker.layout.finish()),
    }
}

pub(super) struct Blanker<'s> {
    pub(super) layout: Layout<'s>,
    refused: Option<Refused>,
}

impl Blanker<'_> {
    pub(super) fn refuse(&mut self, at: Span, message: &str) {
        let earlier = self.refused.as_ref().is_some_and(|seen| seen.offset <= at.start as usize);
        if !earlier {
            self.refused = Some(Refused::new(at.start, message));
        }
    }

    /// A declaration that is all type, or makes something only TypeScript's own compiler could.
    fn declaration(&mut self, declaration: &Declaration<'_>) -> Option<Span> {
        match declaration {
            Declaration::TSTypeAliasDeclaration(it) => Some(it.span),
            Declaration::TSInterfaceDeclaration(it) => Some(it.span),
            Declaration::TSExternalModuleDeclaration(it) => Some(it.span),
            Declaration::TSGlobalDeclaration(it) => Some(it.span),
            Declaration::VariableDeclaration(it) => it.declare.then_some(it.span),
            Declaration::FunctionDeclaration(it) => {
                (it.declare || it.r#type == FunctionType::TSDeclareFunction).then_some(it.span)
            }
            Declaration::ClassDeclaration(it) => it.declare.then_some(it.span),
            Declaration::TSNamespaceDeclaration(it) if it.declare => Some(it.span),
            Declaration::TSEnumDeclaration(it) if it.declare => Some(it.span),
            Declaration::TSEnumDeclaration(it) => {
                self.refuse(it.span, "enum is not available: use an object with `as const`");
                None
            }
            Declaration::TSNamespaceDeclaration(it) => {
                self.refuse(it.span, "namespace is not available: use an object or functions");
                None
            }
            Declaration::TSImportEqualsDeclaration(it) => {
                self.refuse(it.span, "import is not available: a program has no modules");
                None
            }
        }
    }

    /// `?` or `!` between a name and its annotation.
    pub(super) fn mark(&mut self, from: u32, to: u32, mark: u8) {
        if let Some(at) = self.layout.find(from, to, mark) {
            self.layout.blank_tail(at, at + 1);
        }
    }
}

impl<'a> Visit<'a> for Blanker<'_> {
    fn visit_statement(&mut self, it: &Statement<'a>) {
        if let Some(declaration) = it.as_declaration() {
            if let Some(span) = self.declaration(declaration) {
                self.layout.blank_whole(span);
                return;
            }
        } else if it.is_module_declaration() {
            let refused = module_refused(it);
            self.refuse(it.span(), &refused.message);
            return;
        }
        let ends = matches!(
            it,
            Statement::ExpressionStatement(_)
                | Statement::VariableDeclaration(_)
                | Statement::ReturnStatement(_)
                | Statement::ThrowStatement(_)
        );
        if ends {
            self.layout.ends_at(it.span().end);
        }
        walk::walk_statement(self, it);
    }

    fn visit_ts_type_annotation(&mut self, it: &TSTypeAnnotation<'a>) {
        self.layout.blank_tail(it.span.start, it.span.end);
    }

    fn visit_ts_type_parameter_declaration(&mut self, it: &TSTypeParameterDeclaration<'a>) {
        self.layout.blank_span(it.span);
    }

    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        self.layout.blank_tail(it.span.start, it.span.end);
    }

    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        self.layout.blank_tail(it.expression.span().end, it.span.end);
        self.visit_expression(&it.expression);
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        self.layout.blank_tail(it.expression.span().end, it.span.end);
        self.visit_expression(&it.expression);
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        self.layout.blank_tail(it.expression.span().end, it.span.end);
        self.visit_expression(&it.expression);
    }

    fn visit_ts_instantiation_expression(&mut self, it: &TSInstantiationExpression<'a>) {
        self.layout.blank_tail(it.expression.span().end, it.span.end);
        self.visit_expression(&it.expression);
    }

    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        self.refuse(it.span, "<T>value is not available: write `value as T`");
    }

    fn visit_decorator(&mut self, it: &Decorator<'a>) {
        self.refuse(it.span, "decorators are not available: call the function yourself");
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        if let Some(this) = &it.this_param {
            self.this_parameter(this, &it.params);
        }
        walk::walk_function(self, it, flags);
    }

    /// Seen to by `visit_function`, with what follows it.
    fn visit_ts_this_parameter(&mut self, _: &TSThisParameter<'a>) {}

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        walk::walk_arrow_function_expression(self, it);
        // A line may not end between `)` and `=>`: the bracket moves behind the type.
        if let Some(annotation) = &it.return_type {
            let (from, to) = (annotation.span.start, annotation.span.end);
            if self.layout.has_line_end(from, to) {
                self.layout.put(it.params.span.end - 1, b' ');
                self.layout.put(to - 1, b')');
            }
        }
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        if it.accessibility.is_some() || it.readonly || it.r#override {
            let message = "parameter properties are not available: assign the field in the body";
            self.refuse(it.span, message);
        }
        if it.optional {
            self.mark(it.pattern.span().end, it.span.end, b'?');
        }
        walk::walk_formal_parameter(self, it);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if it.definite {
            self.mark(it.id.span().end, it.span.end, b'!');
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        class::head(self, it);
        // Not the list of interfaces: it is blanked.
        for decorator in &it.decorators {
            self.visit_decorator(decorator);
        }
        if let Some(parameters) = &it.type_parameters {
            self.visit_ts_type_parameter_declaration(parameters);
        }
        if let Some(heritage) = &it.heritage {
            self.visit_class_heritage(heritage);
        }
        self.visit_class_body(&it.body);
    }

    fn visit_class_element(&mut self, it: &ClassElement<'a>) {
        if class::element(self, it) {
            walk::walk_class_element(self, it);
        }
    }
}

impl Blanker<'_> {
    /// `this: T` in a list of parameters, with the comma behind it.
    fn this_parameter(&mut self, this: &TSThisParameter<'_>, all: &FormalParameters<'_>) {
        let first = all.items.first().map(|parameter| parameter.span.start);
        let rest = all.rest.as_ref().map(|rest| rest.span.start);
        let next = first.or(rest).unwrap_or(all.span.end - 1);
        self.layout.blank(this.span.start, next);
    }
}

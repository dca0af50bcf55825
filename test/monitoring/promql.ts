import { parser } from '@prometheus-io/lezer-promql';

type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];

/** The use of one metric in an expression. */
export interface Demand {
  readonly metric: string;
  /** Those that it matches, and those that it is grouped by. */
  readonly labels: readonly string[];
  /** Of `label="value"`. */
  readonly values: Readonly<Record<string, string>>;
}

export interface Expression {
  readonly demands: readonly Demand[];
  /** What the outermost groupings leave of the labels; undefined where nothing is grouped. */
  readonly grouping: readonly string[] | undefined;
}

/** By Prometheus's own grammar. Throws where the text is no PromQL. */
export function readExpression(text: string): Expression {
  const demands: Demand[] = [];
  const groupings: string[][] = [];
  /** Labels of the groupings around the place that is read. */
  const around: string[][] = [];
  let current: { metric: string; labels: string[]; values: Record<string, string> } | undefined;
  let label = '';
  const tree = parser.parse(text);
  tree.iterate({
    enter: (node) => {
      const { name, from, to } = node;
      const source = text.slice(from, to);
      if (node.type.isError) throw new Error(`not PromQL at ${from}: ${text}`);
      if (name === 'AggregateExpr') {
        const modifier = node.node.getChild('AggregateModifier');
        const labels = (modifier?.getChild('GroupingLabels')?.getChildren('LabelName') ?? []).map((child) =>
          text.slice(child.from, child.to),
        );
        if (around.length === 0) groupings.push(labels);
        around.push(labels);
      }
      if (name === 'VectorSelector') {
        current = { metric: '', labels: onlyFilters(node.node) ? [] : around.flat(), values: {} };
      }
      if (name === 'Identifier' && current !== undefined && node.matchContext(['VectorSelector'])) {
        current.metric = source;
      }
      if (name === 'LabelName' && node.node.parent?.name.endsWith('Matcher')) {
        label = source;
        current?.labels.push(label);
      }
      if (name === 'StringLiteral' && current !== undefined && label !== '') {
        const matcher = text.slice(node.node.parent?.from ?? from, to);
        if (/^\w+\s*=[^~]/.test(matcher)) current.values[label] = source.slice(1, -1);
        label = '';
      }
    },
    leave: ({ name }) => {
      if (name === 'AggregateExpr') around.pop();
      if (name !== 'VectorSelector' || current === undefined) return;
      demands.push({ ...current, labels: [...new Set(current.labels)] });
      current = undefined;
    },
  });
  return { demands, grouping: groupings.length === 0 ? undefined : groupings.flat() };
}

/** Right of `and` only the existence of a series counts: none of its labels gets into the result. */
function onlyFilters(selector: SyntaxNode): boolean {
  for (let node = selector; node.parent !== null && node.name !== 'AggregateExpr'; node = node.parent) {
    const and = node.parent.name === 'BinaryExpr' ? node.parent.getChild('And') : null;
    if (and !== null && and.from < node.from) return true;
  }
  return false;
}

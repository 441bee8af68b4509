/** What a style sheet may choose. Other properties are for other readers, and passed over. */
export const PROPERTIES = ['model', 'provider', 'reasoning_effort', 'speed', 'backend'] as const;
export type Property = (typeof PROPERTIES)[number];

/** Which nodes a rule is about; each kind of selector wins over those before it. */
export type Selector =
  { type: 'all' } | { type: 'shape'; name: string } | { type: 'class'; name: string } | { type: 'id'; name: string };

/** A stretch of the sheet's text. */
export interface Stretch {
  from: number;
  to: number;
}

/** `property: value` under its selector. A later one wins over an earlier one of the same kind of selector. */
export interface Declaration {
  selector: Selector;
  property: string;
  value: string;
  propertyAt: Stretch;
  valueAt: Stretch;
}

/** What is wrong, and where. */
export interface StylesheetFault extends Stretch {
  message: string;
}

export interface ParsedStylesheet {
  declarations: Declaration[];
  faults: StylesheetFault[];
}

import { OneOf, ListOf, Text } from '../../../edge/schema/decorators.js';

export const CHECK_STATUSES = ['pass', 'warning', 'error'] as const;
export type CheckStatus = (typeof CHECK_STATUSES)[number];

export class SystemCheck {
  @Text() name!: string;
  @OneOf(CHECK_STATUSES) status!: CheckStatus;
  @Text() summary!: string;
  @Text({ nullable: true, doc: 'What to do about it.' }) remediation!: string | null;
}

export class SystemCheckResponse {
  @OneOf(CHECK_STATUSES, { doc: 'The worst of all.' }) status!: CheckStatus;
  @ListOf(SystemCheck) checks!: SystemCheck[];
}

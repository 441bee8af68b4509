import { type TenantId } from '#libs/kernel';
import { type Principal } from './principal.js';
import { type Role } from '../operations/roles.js';

/** Who sent the request, for which tenant, and what they may do there. */
export interface Caller {
  readonly tenantId: TenantId;
  readonly principal: Principal;
  readonly role: Role;
}

import { NODE_DECLARED_TWICE } from '../../graph/expand.js';
import { recorded } from '../checks/recorded.js';

export const nodeDeclaredTwice = recorded(NODE_DECLARED_TWICE, 'warning');

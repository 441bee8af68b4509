import { MAX_VALUE_BYTES, type FailureDetail, type Question } from '#libs/events';
import { shortenText, type Json } from '#libs/kernel';
import type { Edge, HumanNode } from '#libs/language';
import { readOrRefused } from '../state/unread-value.js';
import { openChoicesOf, openFreeformEdge, type IsOpen } from './options.js';
import { readReviewTarget } from './review-target.js';

/** The options of a question may take as much as one value; what is shown with it leaves room for them. */
const MAX_DISPLAY_BYTES = MAX_VALUE_BYTES / 2;

interface Asking {
  node: HumanNode;
  /** The edges that leave the node, in order. */
  edges: readonly Edge[];
  isOpen: IsOpen;
  questionId: string;
  lookup: (key: string) => Json | undefined;
}

/**
 * What a human gate asks: its label, with those of its edges as options that lead somewhere now. Fails when nothing can be
 * chosen, or nothing reviewed.
 */
export function askQuestion({
  node,
  edges,
  isOpen,
  questionId,
  lookup,
}: Asking): { question: Question } | { failure: FailureDetail } {
  const options = openChoicesOf(edges, isOpen).map(({ option }) => option);
  const allowFreeform = openFreeformEdge(edges, isOpen) !== undefined;
  if (options.length === 0 && !allowFreeform) return failing('No outgoing edges for human gate');
  const review = node.reviewTarget ? readReviewTarget(lookup('review_target')) : null;
  if (review !== null && 'objection' in review) return failing(review.objection);

  const display = contextDisplay(lookup);
  const question: Question = {
    question_id: questionId,
    question: review ? `Review the ${review.label} document, then choose the next action.` : node.label,
    stage: node.id,
    question_type: node.questionType,
    ...(options.length > 0 && { options }),
    allow_freeform: allowFreeform,
    ...(node.timeoutMs !== undefined && { timeout_seconds: node.timeoutMs / 1_000 }),
    ...(display !== undefined && { context_display: display }),
    ...(review && { review_target: review }),
  };
  return { question };
}

/** What the last agent or prompt said, for the person who decides. What is too large to be read is not shown. */
function contextDisplay(lookup: Asking['lookup']): string | undefined {
  const last = lookup('last_stage');
  const response = typeof last === 'string' ? readOrRefused(() => lookup(`response.${last}`)) : undefined;
  return typeof response === 'string' ? shortenText(response.trim(), MAX_DISPLAY_BYTES) || undefined : undefined;
}

function failing(message: string): { failure: FailureDetail } {
  return { failure: { message, category: 'deterministic' } };
}

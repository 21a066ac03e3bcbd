'use client';

import { Component, type ReactNode } from 'react';

/**
 * Around a part that is fetched when it is needed. Where Holdfast was updated since the page
 * was loaded there is no such part any more: that costs the part, not the page.
 */
export class Lazily extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <p role="alert" className="mb-4 rounded-xl border border-caution-line bg-caution-soft p-3.5 text-[0.9375rem] text-caution">
        A part of this page could not be loaded: Holdfast may have been updated. What you type is kept in this browser.{' '}
        <button type="button" className="link" onClick={() => location.reload()}>
          Reload the page
        </button>
      </p>
    );
  }
}

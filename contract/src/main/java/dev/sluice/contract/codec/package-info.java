/** Events as bytes and back, and the names of the topics that hold them. */
@NullMarked
package dev.sluice.contract.codec;

import org.jspecify.annotations.NullMarked;

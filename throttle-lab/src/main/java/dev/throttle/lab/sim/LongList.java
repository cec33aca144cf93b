package dev.throttle.lab.sim;

import java.util.Arrays;

/** Numbers in a row, without boxing. */
public final class LongList {

    private long[] values = new long[16];
    private int size;

    void add(long value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, size * 2);
        }
        values[size++] = value;
    }

    /** {@return how many there are} */
    public int size() {
        return size;
    }

    /**
     * {@return one of them}
     *
     * @param index from 0
     */
    public long get(int index) {
        if (index >= size) {
            throw new IndexOutOfBoundsException(index);
        }
        return values[index];
    }

    long[] sorted() {
        long[] copy = Arrays.copyOf(values, size);
        Arrays.sort(copy);
        return copy;
    }

    /**
     * {@return how many are below a bound, provided that they are in ascending order}
     *
     * @param bound the bound
     */
    public int countBelow(long bound) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (values[middle] < bound) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}

"""Distribution of datasets over replicas: which worker and replica gets which rows, in which steps, on which device."""

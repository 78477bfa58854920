"""The steps of a pipeline that run no function of the user's, and what every step is made of."""
